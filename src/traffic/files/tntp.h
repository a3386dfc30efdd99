// SPDX-License-Identifier: MIT
// Tokens and metadata of files of the Transportation Networks collection (TNTP), for the readers of links, places and trips.
//
// Metadata <NAME> value end with <END OF METADATA>. "~" begins a comment. Files in the wild have tabs at any place, semicolons that are
// missing, and headers that differ from what follows them.
//
// Reading is the longest part of a short solve, so numbers are scanned in place: a few nanoseconds each. The line and the column of a
// number are found only for a message.
#ifndef MCO_TRAFFIC_TNTP_H
#define MCO_TRAFFIC_TNTP_H

#include "base/text.h"
#include "traffic/model/network.h"

#define TNTP_MOST 1e30  // of every number in these files

// ---- Tokens

typedef struct tntp_scanner {
    mco_text *text;
    const char *at;  // next byte; the text ends with a NUL
    int64_t count;   // links or entries read
} tntp_scanner;

// The bytes from `from` to `to` with their place. O(bytes before it): for messages.
mco_slice tntp_slice_of(const mco_text *text, const char *from, const char *to);
// Fails with the token at the scanner, where `what` was expected. Errors: PARSE.
mco_status tntp_fail_at(const tntp_scanner *s, const char *what);
// Read the number at the scanner as any reader would, with the message that the scan cannot give. Errors: PARSE.
mco_status tntp_read_carefully(tntp_scanner *s, const char *what, double low, double high, double *out);
mco_status tntp_read_whole_carefully(tntp_scanner *s, const char *what, int64_t low, int64_t high, int64_t *out);

static inline bool tntp_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline bool tntp_ends_number(char c)
{
    return tntp_is_blank(c) || c == '\n' || c == ';' || c == ':' || c == ',' || c == '~' || c == '\0';
}

static inline bool tntp_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline void tntp_skip_blanks(tntp_scanner *s)
{
    while (tntp_is_blank(*s->at))
        s->at++;
}

static inline void tntp_skip_line(tntp_scanner *s)
{
    while (*s->at != '\n' && *s->at != '\0')
        s->at++;
}

// Skips blanks, newlines, comments and the characters of `also`. False at the end of the text.
static inline bool tntp_skip_to_content(tntp_scanner *s, char also)
{
    for (;; s->at++) {
        if (*s->at == '~')
            tntp_skip_line(s);
        if (!tntp_is_blank(*s->at) && *s->at != '\n' && (*s->at == '\0' || *s->at != also))
            return *s->at != '\0';
    }
}

static inline bool tntp_is_at_end(const tntp_scanner *s)
{
    return *s->at == ';' || *s->at == '\n' || *s->at == '\0' || *s->at == '~';
}

// The token at the scanner, without its place.
static inline mco_slice tntp_token_at(const tntp_scanner *s)
{
    const char *end = s->at;
    while (!tntp_ends_number(*end))
        end++;
    return (mco_slice){s->at, (size_t)(end - s->at), 0, 0};
}

// Scans digits with a point at *at. False: the number is long, or has an exponent, or is none.
static inline bool tntp_scan_real(const char **at, double *out)
{
    enum { SAFE_DIGITS = 19, EXACT_POWER = 22 };
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t exact = UINT64_C(1) << 53;
    const char *p = *at;
    const bool is_negative = *p == '-';
    p += is_negative;
    const char *const begin = p;
    uint64_t m = 0;
    int64_t decimals = 0;
    for (; (unsigned char)(*p - '0') < 10; p++)
        m = m * 10 + (unsigned char)(*p - '0');
    if (*p == '.') {
        const char *const point = ++p;
        for (; (unsigned char)(*p - '0') < 10; p++)
            m = m * 10 + (unsigned char)(*p - '0');
        decimals = p - point;
    }
    const int64_t digits = p - begin - (decimals > 0);
    if (digits < 1 || digits > SAFE_DIGITS || !tntp_ends_number(*p) || (decimals == 0 && p[-1] == '.' && digits < 2))
        return false;
    for (; m > exact && decimals > 0 && m % 10 == 0; decimals--)
        m /= 10;
    if (m > exact)
        return false;
    const double value = (double)m / powers[decimals];
    *out = is_negative ? -value : value;
    *at = p;
    return true;
}

static inline mco_status tntp_read_real(tntp_scanner *s, const char *what, double low, double high, double *out)
{
    const char *at = s->at;
    if (tntp_scan_real(&at, out) && *out >= low && *out <= high) {
        s->at = at;
        return MCO_OK;
    }
    return tntp_read_carefully(s, what, low, high, out);
}

static inline mco_status tntp_read_whole(tntp_scanner *s, const char *what, int64_t low, int64_t high, int64_t *out)
{
    enum { SAFE = 15 };
    const char *p = s->at;
    int64_t value = 0;
    for (; (unsigned char)(*p - '0') < 10; p++)
        value = (int64_t)((uint64_t)value * 10 + (unsigned char)(*p - '0'));
    if (p > s->at && p - s->at <= SAFE && tntp_ends_number(*p) && value >= low && value <= high) {
        *out = value;
        s->at = p;
        return MCO_OK;
    }
    return tntp_read_whole_carefully(s, what, low, high, out);
}

// ---- Metadata

typedef struct tntp_metadata {
    int64_t zones, nodes, links, through;  // -1: not stated
    double total, toll_factor, distance_factor;  // NaN: not stated
    mco_slice zones_at, nodes_at, through_at;
    bool has_end;
} tntp_metadata;

// Reads up to <END OF METADATA>. Errors: PARSE.
mco_status tntp_read_metadata(mco_text *text, tntp_metadata *m);
// Refuses a count above the nodes that are supported. Errors: LIMIT.
mco_status tntp_refuse_more(mco_text *text, int64_t count, const char *what);

#endif
