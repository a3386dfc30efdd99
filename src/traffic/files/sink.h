// SPDX-License-Identifier: MIT
// Text on its way to a file, plain or gzip: numbers that read back exactly, and cells of tables. Failures show when it is committed.
#ifndef MCO_TRAFFIC_SINK_H
#define MCO_TRAFFIC_SINK_H

#include "base/stream.h"

void traffic_put(mco_stream *sink, const char *text);
void traffic_put_integer(mco_stream *sink, int64_t value);
void traffic_put_number(mco_stream *sink, double value);
// A cell of a table, in double quotes where its text needs them.
void traffic_put_cell(mco_stream *sink, const char *text);
// A text of JSON with its quotes.
void traffic_put_json(mco_stream *sink, const char *text);

#endif
