// SPDX-License-Identifier: MIT
// The floor of a reduction on the cores: reads an array with all threads and does next to nothing with it.
// read_bandwidth BYTES THREADS REPEATS prints the median rate in GB/s. Compiled by cpu.py.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 64, MOST_THREADS = 1024, MOST_REPEATS = 1000 };

typedef struct part {
    const uint64_t *from;
    size_t words;
    uint64_t sum;
} part;

// Joins whole vectors by exclusive or, enough of them in flight.
__attribute__((target_clones("avx512f", "avx2", "default"))) static uint64_t read_all(const uint64_t *from, size_t words)
{
    uint64_t lanes[LANES] = {0}, sum = 0;
    for (size_t i = 0; i + LANES <= words; i += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] ^= from[i + k];
    for (int k = 0; k < LANES; k++)
        sum ^= lanes[k];
    return sum;
}

static void *work(void *argument)
{
    part *p = argument;
    p->sum = read_all(p->from, p->words);
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t)1 << 30;
    int threads = argc > 2 ? atoi(argv[2]) : 1, repeats = argc > 3 ? atoi(argv[3]) : 10;
    static part parts[MOST_THREADS];
    static pthread_t ids[MOST_THREADS];
    static double rates[MOST_REPEATS];
    uint64_t *data = aligned_alloc(64, bytes), sum = 0;
    if (data == NULL || threads < 1 || threads > MOST_THREADS || repeats < 1 || repeats > MOST_REPEATS)
        return EXIT_FAILURE;
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = i * 0x9e3779b97f4a7c15u;
    const size_t share = bytes / sizeof *data / (size_t)threads;
    for (int r = 0; r < repeats; r++) {
        double start = now();
        for (int t = 0; t < threads; t++) {
            parts[t] = (part){data + (size_t)t * share, share, 0};
            if (pthread_create(&ids[t], NULL, work, &parts[t]) != 0)
                return EXIT_FAILURE;
        }
        for (int t = 0; t < threads; t++) {
            pthread_join(ids[t], NULL);
            sum ^= parts[t].sum;
        }
        rates[r] = 1e-9 * (double)(share * sizeof *data * (size_t)threads) / (now() - start);
    }
    qsort(rates, (size_t)repeats, sizeof *rates, compare);
    printf("%.3f\n", rates[repeats / 2]);
    fprintf(stderr, "%llx\n", (unsigned long long)sum);
    free(data);
    return EXIT_SUCCESS;
}
