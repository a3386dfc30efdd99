// SPDX-License-Identifier: MIT
// Takes any bytes as one file of a feed: the first byte says which one, the others are as in a small sound feed. What is accepted must be
// a sound timetable. What is refused must have a message.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths/transit/timetable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[][2] = {
    {"stops.txt", "stop_id,stop_lat,stop_lon,location_type,parent_station\nA,1,1,,\nB,1.001,1,,S\nS,1,1,1,\n"},
    {"routes.txt", "route_id,route_type\nr,3\n"},
    {"calendar.txt", "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
                     "w,1,1,1,1,1,1,1,20240101,20241231\n"},
    {"calendar_dates.txt", "service_id,date,exception_type\nw,20240103,2\n"},
    {"trips.txt", "route_id,service_id,trip_id\nr,w,t\nr,w,u\n"},
    {"stop_times.txt", "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt,8:00:00,8:00:00,A,1\nt,8:10:00,8:10:00,B,2\n"
                       "u,23:00:00,23:00:00,A,1\nu,25:00:00,25:00:00,B,2\n"},
    {"transfers.txt", "from_stop_id,to_stop_id,transfer_type,min_transfer_time\nA,S,2,60\n"},
    {"frequencies.txt", "trip_id,start_time,end_time,headway_secs\nt,8:00:00,9:00:00,600\n"},
};
enum { FILES = sizeof files / sizeof files[0] };

static char folder[] = "/tmp/fuzz-paths-gtfs-XXXXXX";

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void write_file(int k, const void *data, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, files[k][0]);
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size);
    require(fclose(file) == 0);
}

static void remove_folder(void)
{
    for (int k = 0; k < FILES; k++) {
        char path[80];
        snprintf(path, sizeof path, "%s/%s", folder, files[k][0]);
        unlink(path);
    }
    rmdir(folder);
}

static void examine(const transit_timetable *t)
{
    for (int32_t trip = 0; trip < t->trips; trip++) {
        const int32_t r = t->trip[trip].route, *time = transit_times(t, trip);
        const int64_t length = t->stop_first[r + 1] - t->stop_first[r];
        for (int64_t k = 1; k < 2 * length; k++)
            require(time[k - 1] <= time[k]);
        for (int64_t k = 0; k < 2 * length && trip > t->trip_first[r]; k++)
            require(transit_times(t, trip - 1)[k] <= time[k]);
    }
    for (int64_t k = 0; k < t->walk_first[t->stops]; k++)
        require(t->walk[k].stop >= 0 && t->walk[k].stop < t->stops && t->walk[k].seconds >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_ready;
    mco_context *ctx = NULL;
    transit_timetable t;
    transit_rules rules = TRANSIT_RULES_INIT;
    rules.date = 20240102;
    if (!is_ready) {
        require(mkdtemp(folder) != NULL);
        atexit(remove_folder);
        is_ready = true;
    }
    if (size == 0 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    for (int k = 0; k < FILES; k++)
        write_file(k, files[k][1], strlen(files[k][1]));
    write_file(data[0] % FILES, data + 1, size - 1);
    const mco_status st = transit_read(ctx, folder, &rules, &t);
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (st == MCO_OK)
        examine(&t);
    transit_clear(ctx, &t);
    mco_context_destroy(&ctx);
    return 0;
}
