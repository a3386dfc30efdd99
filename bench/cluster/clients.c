// SPDX-License-Identifier: MIT
// How many reports a second the coordinator of a flow shop search takes in over its real channel: ZeroMQ with CURVE, one
// connection a worker, decoding and commit. The workers are sockets of other processes on this machine.
//
// Usage: bench_cluster_clients CLIENTS REPORTS INTERVALS PROCESSES PORT KEYFILE RATE. All join; then each client sends
// REPORTS reports, by turns, all together RATE a second; 0: as fast as they go. Each report leaves INTERVALS and changes 60
// counters.
// The CPU seconds of the coordinator are those of its process: its own thread and that of the channel, which decrypts.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>
#include <zmq.h>

#include "base/clock.h"
#include "cluster/channel.h"
#include "made.h"

enum { KEY = 40, TICK_MESSAGES = 1000, JOIN_MS = 60000 };

typedef struct order {
    int64_t clients, reports, intervals, processes, port;
    double rate;
    const char *key_file;
} order;

// ---- The workers of one process

typedef struct client {
    void *socket;
    uint64_t incarnation;
    int64_t slot;
} client;

static void must(bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "client: %s: %s\n", what, zmq_strerror(errno));
    exit(3);
}

// As mco_zmq_join() opens a socket; here all sockets of a process share the threads of the library.
static void open_client(void *library, const order *o, const char *secret, const char *public_key, client *c)
{
    char endpoint[48];
    uint64_t id = 0;
    const int any_number = 0, join_ms = JOIN_MS;
    c->socket = zmq_socket(library, ZMQ_DEALER);
    must(c->socket != NULL, "socket");
    must(getrandom(&id, sizeof id, 0) == sizeof id, "random number");
    id |= 0x0101010101010101u;
    zmq_setsockopt(c->socket, ZMQ_SNDHWM, &any_number, sizeof any_number);
    zmq_setsockopt(c->socket, ZMQ_RCVTIMEO, &join_ms, sizeof join_ms);
    zmq_setsockopt(c->socket, ZMQ_ROUTING_ID, &id, sizeof id);
    zmq_setsockopt(c->socket, ZMQ_CURVE_SECRETKEY, secret, KEY);
    zmq_setsockopt(c->socket, ZMQ_CURVE_PUBLICKEY, public_key, KEY);
    must(zmq_setsockopt(c->socket, ZMQ_CURVE_SERVERKEY, public_key, KEY) == 0, "key");
    snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%lld", (long long)o->port);
    must(zmq_connect(c->socket, endpoint) == 0, "connect");
}

// Waits for the welcome and the work after it.
static void be_welcome(mco_context *ctx, flowshop_message *in, client *c)
{
    for (int kinds = 0; kinds < 2;) {
        zmq_msg_t m;
        zmq_msg_init(&m);
        must(zmq_msg_recv(&m, c->socket, 0) >= 0, "no welcome");
        must(flowshop_message_decode(ctx, zmq_msg_data(&m), (int64_t)zmq_msg_size(&m), in) == MCO_OK, "message");
        kinds += in->kind == FLOWSHOP_WELCOME || in->kind == FLOWSHOP_WORK;
        c->incarnation = in->incarnation;
        c->slot = in->slot;
        zmq_msg_close(&m);
    }
}

static mco_status send_reports(mco_context *ctx, const order *o, int64_t count, client *clients)
{
    mco_status st = MCO_OK;
    flowshop_message report;
    flowshop_bytes bytes = {0};
    const double begin_s = mco_clock_s(), each_s = o->rate > 0 ? (double)o->processes / o->rate : 0;
    double due_s = begin_s;
    MCO_TRY(made_report(ctx, o->intervals, &report));
    for (report.number = 1; report.number <= o->reports; report.number++)
        for (int64_t i = 0; i < count; i++) {
            const double early_s = due_s - mco_clock_s();
            if (early_s > 0.001)
                usleep((useconds_t)(1e6 * early_s));
            due_s += each_s;
            report.slot = clients[i].slot;
            report.incarnation = clients[i].incarnation;
            MCO_TRY(flowshop_message_encode(ctx, &report, &bytes));
            must(zmq_send(clients[i].socket, bytes.data, (size_t)bytes.count, 0) >= 0, "send");
        }
done:
    flowshop_message_clear(ctx, &report);
    mco_free(ctx, &bytes.data);
    return st;
}

// `go` tells by a byte when to begin to join and when to report; at its end the process ends.
static mco_status work(mco_context *ctx, const order *o, int64_t count, int go)
{
    mco_status st = MCO_OK;
    char byte, secret[KEY + 1] = "", public_key[KEY + 1];
    client *clients = NULL;
    flowshop_message hello, in;
    flowshop_bytes bytes = {0};
    made_hello(&hello);
    flowshop_message_begin(hello.open.jobs, &in);
    MCO_TRY(mco_alloc(ctx, &clients, count));
    MCO_TRY(flowshop_message_encode(ctx, &hello, &bytes));
    must(read(go, &byte, 1) == 1, "pipe");
    FILE *file = fopen(o->key_file, "re");
    must(file != NULL && fscanf(file, "%40s", secret) == 1 && zmq_curve_public(public_key, secret) == 0, "key file");
    fclose(file);
    void *const library = zmq_ctx_new();
    must(library != NULL && zmq_ctx_set(library, ZMQ_MAX_SOCKETS, (int)count + 8) == 0, "library");
    for (int64_t i = 0; i < count; i++) {
        open_client(library, o, secret, public_key, &clients[i]);
        must(zmq_send(clients[i].socket, bytes.data, (size_t)bytes.count, 0) >= 0, "send");
    }
    for (int64_t i = 0; i < count; i++)
        be_welcome(ctx, &in, &clients[i]);
    must(read(go, &byte, 1) == 1, "pipe");
    MCO_TRY(send_reports(ctx, o, count, clients));
    must(read(go, &byte, 1) == 0, "pipe");
done:
    return st;
}

// ---- The coordinator

typedef struct host {
    mco_context *ctx;
    mco_channel channel;
    flowshop_bytes bytes;
    flowshop_message in;
    int64_t report_bytes;  // of the last report
    made made;
} host;

static mco_status send_bytes(void *to, uint64_t peer, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    host *h = to;
    MCO_TRY(flowshop_message_encode(h->ctx, m, &h->bytes));
    MCO_TRY(h->channel.send(h->channel.self, peer, h->bytes.data, h->bytes.count));
done:
    return st;
}

static mco_status receive(host *h)
{
    mco_status st = MCO_OK;
    const uint8_t *data;
    uint64_t peer;
    int64_t size;
    for (int i = 0; i < TICK_MESSAGES; i++) {
        MCO_TRY(h->channel.receive(h->channel.self, i == 0 ? 0.02 : 0, &peer, &data, &size));
        if (size < 0)
            break;
        MCO_TRY(flowshop_message_decode(h->ctx, data, size, &h->in));
        h->report_bytes = h->in.kind == FLOWSHOP_REPORT ? size : h->report_bytes;
        MCO_TRY(made_refill(&h->made));
        MCO_TRY(flowshop_coordinator_receive(&h->made.coordinator, mco_clock_s(), peer, &h->in));
    }
    MCO_TRY(flowshop_coordinator_tick(&h->made.coordinator, mco_clock_s()));
done:
    return st;
}

static double children_cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void tell(const int *go, int64_t processes)
{
    for (int64_t i = 0; i < processes; i++)
        if (write(go[i], "g", 1) != 1)
            fprintf(stderr, "a process of clients is gone\n");
}

static mco_status coordinate(mco_context *ctx, const order *o, const int *go)
{
    mco_status st = MCO_OK;
    host h = {.ctx = ctx};
    flowshop_coordinator *const c = &h.made.coordinator;
    const int64_t all = o->clients * o->reports;
    MCO_TRY(mco_zmq_listen(ctx, o->port, o->key_file, &h.channel));
    MCO_TRY(made_begin(ctx, &h.made));
    flowshop_message_begin(mco_flowshop_jobs(h.made.shop), &h.in);
    c->to = &h;
    c->send = send_bytes;
    const double begin_s = mco_clock_s(), begin_cpu_s = mco_cpu_clock_s();
    tell(go, o->processes);
    while ((c->workers < o->clients || c->waiting.count > 0) && waitpid(-1, NULL, WNOHANG) == 0)
        MCO_TRY(receive(&h));
    const double ready_s = mco_clock_s(), ready_cpu_s = mco_cpu_clock_s();
    tell(go, o->processes);
    while (c->reports < all && waitpid(-1, NULL, WNOHANG) == 0)
        MCO_TRY(receive(&h));
    const double end_s = mco_clock_s(), end_cpu_s = mco_cpu_clock_s();
    for (int64_t i = 0; i < o->processes; i++)
        close(go[i]);
    while (wait(NULL) > 0)
        ;
    puts("clients,processes,intervals,bytes,reports,clock_s,coordinator_cpu_s,clients_cpu_s,reports_per_s,reports_per_cpu_s,joined_s,"
         "joined_cpu_s,lost");
    printf("%lld,%lld,%lld,%lld,%lld,%.2f,%.2f,%.2f,%.0f,%.0f,%.2f,%.2f,%lld\n", (long long)o->clients, (long long)o->processes,
           (long long)o->intervals, (long long)h.report_bytes, (long long)c->reports, end_s - ready_s, end_cpu_s - ready_cpu_s,
           children_cpu_s(), (double)c->reports / (end_s - ready_s), (double)c->reports / (end_cpu_s - ready_cpu_s), ready_s - begin_s,
           ready_cpu_s - begin_cpu_s, (long long)c->lost);
    if (c->reports < all)
        st = mco_fail(ctx, MCO_ERR_INTERNAL, "a process of clients has ended early");
done:
    if (h.channel.close != NULL)
        h.channel.close(ctx, h.channel.self);
    made_end(&h.made);
    return st;
}

int main(int argc, char **argv)
{
    enum { MOST_PROCESSES = 64 };
    mco_context *ctx = NULL;
    int go[MOST_PROCESSES];
    if (argc != 8)
        return fprintf(stderr, "usage: bench_cluster_clients CLIENTS REPORTS INTERVALS PROCESSES PORT KEYFILE RATE\n"), 2;
    const order o = {.clients = atoll(argv[1]), .reports = atoll(argv[2]), .intervals = atoll(argv[3]), .processes = atoll(argv[4]),
                     .port = atoll(argv[5]), .key_file = argv[6], .rate = atof(argv[7])};
    mco_status st = mco_context_create(&ctx, NULL);
    if (st != MCO_OK || o.processes < 1 || o.processes > MOST_PROCESSES || o.clients < o.processes)
        return fprintf(stderr, "1 to %d processes, at least as many clients\n", MOST_PROCESSES), 2;
    for (int64_t i = 0; i < o.processes; i++) {  // before the library starts threads
        int ends[2];
        if (pipe(ends) != 0)
            return perror("pipe"), 3;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (int64_t k = 0; k < i; k++)
                close(go[k]);
            close(ends[1]);
            const int64_t count = o.clients / o.processes + (i < o.clients % o.processes);
            _exit(work(ctx, &o, count, ends[0]) != MCO_OK);
        }
        close(ends[0]);
        go[i] = ends[1];
    }
    st = coordinate(ctx, &o, go);
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    mco_context_destroy(&ctx);
    return st != MCO_OK;
}
