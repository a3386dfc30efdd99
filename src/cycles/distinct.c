// SPDX-License-Identifier: MIT
#include "cycles/distinct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/rng.h"

enum { FIRST_ROOM = 1 << 10, LEAST_BUFFER = 64 };

cycles_hash cycles_hash_vertex(int32_t vertex)
{
    uint64_t state = (uint64_t)vertex * 0x9e3779b97f4a7c15u + 1;
    const uint64_t low = mco_splitmix64(&state);
    return (cycles_hash){low, mco_splitmix64(&state)};
}

static bool is_same(cycles_hash a, cycles_hash b)
{
    return a.low == b.low && a.high == b.high;
}

// ---- The table

// The slot of an equal record, or the empty slot where it belongs.
static cycles_record *slot_of(cycles_record *slots, int64_t room, cycles_hash hash)
{
    uint64_t at = hash.low & (uint64_t)(room - 1);
    while (slots[at].number != 0 && !is_same(slots[at].hash, hash))
        at = (at + 1) & (uint64_t)(room - 1);
    return &slots[at];
}

static int compare_records(const void *a, const void *b)
{
    const cycles_record *x = a, *y = b;
    if (x->hash.low != y->hash.low)
        return x->hash.low < y->hash.low ? -1 : 1;
    if (x->hash.high != y->hash.high)
        return x->hash.high < y->hash.high ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static mco_status fail_file(const cycles_distinct *d)
{
    return mco_fail(d->ctx, MCO_ERR_IO, "cannot use a temporary file for the hashes of the cycles: %s", strerror(errno));
}

// Moves the table as a sorted run to the file, and empties it.
static mco_status write_run(cycles_distinct *d)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    for (int64_t k = 0; k < d->room; k++)
        if (d->slots[k].number != 0)
            d->slots[count++] = d->slots[k];
    qsort(d->slots, (size_t)count, sizeof *d->slots, compare_records);
    if (d->file == NULL)
        d->file = tmpfile();
    if (d->file == NULL || fwrite(d->slots, sizeof *d->slots, (size_t)count, d->file) != (size_t)count)
        return fail_file(d);
    MCO_TRY(mco_grow(d->ctx, &d->runs, &d->run_room, d->run_count + 1));
    d->runs[d->run_count++] = count;
    memset(d->slots, 0, (size_t)d->room * sizeof *d->slots);
    d->used = 0;
done:
    return st;
}

static mco_status grow_table(cycles_distinct *d)
{
    mco_status st = MCO_OK;
    cycles_record *grown = NULL;
    const int64_t room = d->room > 0 ? 2 * d->room : FIRST_ROOM;
    if (d->room > 0 && (double)(room + d->room) * sizeof *grown > d->memory_bytes)
        return write_run(d);
    MCO_TRY(mco_alloc(d->ctx, &grown, room));
    for (int64_t k = 0; k < d->room; k++)
        if (d->slots[k].number != 0)
            *slot_of(grown, room, d->slots[k].hash) = d->slots[k];
    mco_free(d->ctx, &d->slots);
    d->slots = grown;
    d->room = room;
done:
    return st;
}

mco_status cycles_distinct_add(cycles_distinct *d, cycles_hash hash, int64_t number, int64_t *same)
{
    mco_status st = MCO_OK;
    *same = 0;
    if (4 * (d->used + 1) > 3 * d->room)
        MCO_TRY(grow_table(d));
    cycles_record *slot = slot_of(d->slots, d->room, hash);
    *same = slot->number;
    if (slot->number == 0) {
        *slot = (cycles_record){hash, number};
        d->used++;
    }
done:
    return st;
}

// ---- The merge

typedef struct run_reader {
    int64_t at, left;        // in the file: next record, records not yet read
    cycles_record *records;  // [count] read and not yet taken from `next` on
    int64_t next, count;
} run_reader;

static mco_status refill(const cycles_distinct *d, run_reader *r, int64_t room)
{
    const int64_t count = r->left < room ? r->left : room;
    r->next = 0;
    r->count = count;
    if (count == 0)
        return MCO_OK;
    if (fseeko(d->file, (off_t)(r->at * (int64_t)sizeof *r->records), SEEK_SET) != 0 ||
        fread(r->records, sizeof *r->records, (size_t)count, d->file) != (size_t)count)
        return fail_file(d);
    r->at += count;
    r->left -= count;
    return MCO_OK;
}

// The reader with the least record; NULL: all are at their end.
static run_reader *least_of(run_reader *readers, int64_t count)
{
    run_reader *least = NULL;
    for (run_reader *r = readers; r < readers + count; r++)
        if (r->next < r->count && (least == NULL || compare_records(&r->records[r->next], &least->records[least->next]) < 0))
            least = r;
    return least;
}

static mco_status merge(const cycles_distinct *d, run_reader *readers, int64_t room, int64_t pair[2])
{
    mco_status st = MCO_OK;
    cycles_record last = {.number = 0};
    for (run_reader *r; (r = least_of(readers, d->run_count)) != NULL;) {
        const cycles_record next = r->records[r->next++];
        if (last.number != 0 && is_same(last.hash, next.hash)) {
            pair[0] = last.number;
            pair[1] = next.number;
            return MCO_OK;
        }
        last = next;
        if (r->next == r->count)
            MCO_TRY(refill(d, r, room));
    }
done:
    return st;
}

mco_status cycles_distinct_end(cycles_distinct *d, int64_t pair[2])
{
    mco_status st = MCO_OK;
    run_reader *readers = NULL;
    cycles_record *buffer = NULL;
    pair[0] = pair[1] = 0;
    if (d->run_count == 0)
        return MCO_OK;
    MCO_TRY(write_run(d));
    // The table is empty: its memory becomes the buffers.
    mco_free(d->ctx, &d->slots);
    const int64_t fair = d->room / d->run_count, room = fair > LEAST_BUFFER ? fair : LEAST_BUFFER;
    d->room = 0;
    MCO_TRY(mco_alloc(d->ctx, &buffer, room * d->run_count));
    MCO_TRY(mco_alloc(d->ctx, &readers, d->run_count));
    for (int64_t k = 0, at = 0; k < d->run_count; at += d->runs[k++]) {
        readers[k] = (run_reader){.at = at, .left = d->runs[k], .records = buffer + k * room};
        MCO_TRY(refill(d, &readers[k], room));
    }
    MCO_TRY(merge(d, readers, room, pair));
done:
    mco_free(d->ctx, &readers);
    mco_free(d->ctx, &buffer);
    return st;
}

void cycles_distinct_clear(cycles_distinct *d)
{
    if (d->ctx == NULL)
        return;
    if (d->file != NULL)
        fclose(d->file);
    mco_free(d->ctx, &d->slots);
    mco_free(d->ctx, &d->runs);
    *d = (cycles_distinct){0};
}
