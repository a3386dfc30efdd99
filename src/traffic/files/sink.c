// SPDX-License-Identifier: MIT
#include "traffic/files/sink.h"

#include <string.h>

#include "base/number.h"

void traffic_put(mco_stream *sink, const char *text)
{
    mco_stream_put(sink, text, strlen(text));
}

void traffic_put_integer(mco_stream *sink, int64_t value)
{
    char digits[24];
    int at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        digits[--at] = '-';
    mco_stream_put(sink, digits + at, sizeof digits - (size_t)at);
}

void traffic_put_number(mco_stream *sink, double value)
{
    char text[MCO_NUMBER_TEXT];
    const int32_t whole = value > -1e9 && value < 1e9 ? (int32_t)value : 0;
    if ((double)whole == value)
        traffic_put_integer(sink, whole);
    else
        traffic_put(sink, mco_number_text(value, text));
}

void traffic_put_cell(mco_stream *sink, const char *text)
{
    const size_t size = strlen(text);
    const bool is_plain = size > 0 && strpbrk(text, ",;\t\"\n\r") == NULL && text[0] != '#' && text[0] != ' ' && text[size - 1] != ' ';
    if (is_plain) {
        traffic_put(sink, text);
        return;
    }
    traffic_put(sink, "\"");
    for (const char *c = text; *c != '\0'; c++)
        mco_stream_put(sink, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    traffic_put(sink, "\"");
}

void traffic_put_json(mco_stream *sink, const char *text)
{
    char escape[8];
    traffic_put(sink, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\') {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
            traffic_put(sink, escape);
        } else {
            mco_stream_put(sink, c, 1);
        }
    }
    traffic_put(sink, "\"");
}
