// SPDX-License-Identifier: MIT
#include "render/svg.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };  // U+FFFD replaces what is not a character of UTF-8 and XML

// Writes hundredths of a pixel by integers, because printf writes a double with the decimal sign of the locale.
static void put_number(mco_svg *svg, double value)
{
    assert(isfinite(value) && fabs(value) < 1e9);
    int64_t hundredths = llround(value * 100);
    if (hundredths < 0)
        fputc('-', svg->file);
    int64_t size = hundredths < 0 ? -hundredths : hundredths;
    int fraction = (int)(size % 100);
    fprintf(svg->file, "%lld", (long long)(size / 100));
    if (fraction % 10 != 0)
        fprintf(svg->file, ".%02d", fraction);
    else if (fraction != 0)
        fprintf(svg->file, ".%d", fraction / 10);
}

static void put_attribute(mco_svg *svg, const char *name, double value)
{
    fprintf(svg->file, " %s=\"", name);
    put_number(svg, value);
    fputc('"', svg->file);
}

static void put_class(mco_svg *svg, const char *class_name)
{
    if (class_name != NULL)
        fprintf(svg->file, " class=\"%s\"", class_name);
}

// Whether XML 1.0 allows the character. It has no way to write other characters.
static bool is_xml_character(uint32_t code)
{
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    return !(code >= 0xd800 && code <= 0xdfff) && code != 0xfffe && code != 0xffff && code <= 0x10ffff;
}

// Returns the next character and its length in *bytes. A byte that begins no valid character counts as one REPLACEMENT;
// so does the first byte of a cut or an overlong sequence. So any bytes give a valid document.
static uint32_t decode(const char *text, size_t *bytes)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    *bytes = 1;
    if (length == 0)
        return REPLACEMENT;
    uint32_t code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (s[i] >> 6 != 2)
            return REPLACEMENT;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (code < smallest[length] || !is_xml_character(code))
        return REPLACEMENT;
    *bytes = length;
    return code;
}

static void put_escaped(mco_svg *svg, const char *text)
{
    size_t bytes;
    for (; *text != '\0'; text += bytes) {
        uint32_t code = decode(text, &bytes);
        if (code == '<')
            fputs("&lt;", svg->file);
        else if (code == '>')
            fputs("&gt;", svg->file);
        else if (code == '&')
            fputs("&amp;", svg->file);
        else if (code == '"')
            fputs("&quot;", svg->file);
        else if (code == REPLACEMENT)
            fputs("\xef\xbf\xbd", svg->file);
        else
            fwrite(text, 1, bytes, svg->file);
    }
}

void mco_svg_begin(mco_svg *svg, FILE *file, double width, double height, const char *background,
                   const char *title)
{
    *svg = (mco_svg){.file = file};
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"", file);
    put_attribute(svg, "width", width);
    put_attribute(svg, "height", height);
    fputs(" viewBox=\"0 0 ", file);
    put_number(svg, width);
    fputc(' ', file);
    put_number(svg, height);
    fputs("\">\n<title>", file);
    put_escaped(svg, title);
    fprintf(file, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", background);
}

void mco_svg_end(mco_svg *svg)
{
    assert(svg->open_groups == 0);
    fputs("</svg>\n", svg->file);
}

void mco_svg_style(mco_svg *svg, const char *css)
{
    fprintf(svg->file, "<style>\n%s</style>\n", css);
}

void mco_svg_hatch(mco_svg *svg, const char *id, double spacing, const char *line, const char *background)
{
    fprintf(svg->file, "<defs><pattern id=\"%s\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"", id);
    put_attribute(svg, "width", spacing);
    put_attribute(svg, "height", spacing);
    fputs("><rect", svg->file);
    put_attribute(svg, "width", spacing);
    put_attribute(svg, "height", spacing);
    fprintf(svg->file, " fill=\"%s\"/><rect", background);
    put_attribute(svg, "width", 1);
    put_attribute(svg, "height", spacing);
    fprintf(svg->file, " fill=\"%s\"/></pattern></defs>\n", line);
}

void mco_svg_group_begin(mco_svg *svg, const char *class_name)
{
    fputs("<g", svg->file);
    put_class(svg, class_name);
    fputs(">\n", svg->file);
    svg->open_groups++;
}

void mco_svg_group_end(mco_svg *svg)
{
    assert(svg->open_groups > 0);
    fputs("</g>\n", svg->file);
    svg->open_groups--;
}

void mco_svg_rect(mco_svg *svg, const char *class_name, double x, double y, double width, double height,
                  const char *tooltip)
{
    fputs("<rect", svg->file);
    put_class(svg, class_name);
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_attribute(svg, "width", width);
    put_attribute(svg, "height", height);
    if (tooltip == NULL) {
        fputs("/>\n", svg->file);
        return;
    }
    fputs("><title>", svg->file);
    put_escaped(svg, tooltip);
    fputs("</title></rect>\n", svg->file);
}

void mco_svg_line(mco_svg *svg, const char *class_name, double x1, double y1, double x2, double y2)
{
    fputs("<line", svg->file);
    put_class(svg, class_name);
    put_attribute(svg, "x1", x1);
    put_attribute(svg, "y1", y1);
    put_attribute(svg, "x2", x2);
    put_attribute(svg, "y2", y2);
    fputs("/>\n", svg->file);
}

static void put_text(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y, bool is_upward,
                     const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fputs("<text", svg->file);
    put_class(svg, class_name);
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    if (is_upward) {
        fputs(" transform=\"rotate(-90 ", svg->file);
        put_number(svg, x);
        fputc(' ', svg->file);
        put_number(svg, y);
        fputs(")\"", svg->file);
    }
    fprintf(svg->file, "%s>", anchors[anchor]);
    put_escaped(svg, text);
    fputs("</text>\n", svg->file);
}

void mco_svg_text(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y, const char *text)
{
    put_text(svg, class_name, anchor, x, y, false, text);
}

void mco_svg_text_upward(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y,
                         const char *text)
{
    put_text(svg, class_name, anchor, x, y, true, text);
}

void mco_svg_path_begin(mco_svg *svg, const char *class_name)
{
    fputs("<path", svg->file);
    put_class(svg, class_name);
    fputs(" d=\"", svg->file);
}

static void put_command(mco_svg *svg, char command, double x, double y)
{
    fputc(command, svg->file);
    put_number(svg, x);
    fputc(' ', svg->file);
    put_number(svg, y);
}

void mco_svg_path_move(mco_svg *svg, double x, double y)
{
    put_command(svg, 'M', x, y);
}

void mco_svg_path_line(mco_svg *svg, double x, double y)
{
    put_command(svg, 'L', x, y);
}

void mco_svg_path_rect(mco_svg *svg, double x, double y, double width, double height)
{
    put_command(svg, 'M', x, y);
    fputc('h', svg->file);
    put_number(svg, width);
    fputc('v', svg->file);
    put_number(svg, height);
    fputc('h', svg->file);
    put_number(svg, -width);
    fputc('z', svg->file);
}

void mco_svg_path_dot(mco_svg *svg, double x, double y)
{
    mco_svg_path_move(svg, x, y);
    mco_svg_path_line(svg, x, y);
}

void mco_svg_path_end(mco_svg *svg)
{
    fputs("\"/>\n", svg->file);
}

// Width of a character in units of the font size. The values are measured on DejaVu Sans, the widest of the usual
// sans-serif faces. From U+1100 on most characters are East Asian and square.
static double character_width(uint32_t code)
{
    if (code < 0x80 && code != 0 && strchr("ijlI .,:;'|!", (int)code) != NULL)
        return 0.35;
    if ((code >= 'A' && code <= 'Z') || code == 'w')
        return 0.75;
    if (code == 'm' || code == 'M' || code == 'W' || code == '%' || code == '@' || code >= 0x1100)
        return 1.0;
    return 0.64;
}

// Number of bytes of `text` that fit `width`; *used is their width.
static size_t walk(const char *text, double font_size, double width, double *used)
{
    size_t length = 0, bytes;
    *used = 0;
    while (text[length] != '\0') {
        double next = *used + font_size * character_width(decode(text + length, &bytes));
        if (next > width)
            break;
        *used = next;
        length += bytes;
    }
    return length;
}

size_t mco_svg_text_fit(const char *text, double font_size, double width)
{
    double used;
    return walk(text, font_size, width, &used);
}

double mco_svg_text_width(const char *text, double font_size)
{
    double used;
    walk(text, font_size, HUGE_VAL, &used);
    return used;
}

void mco_svg_text_cut(char *out, size_t room, const char *text, double font_size, double width)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    size_t fits = mco_svg_text_fit(text, font_size, width);
    assert(room > sizeof ellipsis);
    if (text[fits] == '\0' && fits < room) {
        memcpy(out, text, fits + 1);
        return;
    }
    fits = mco_svg_text_fit(text, font_size, width - font_size);
    // Drops bytes beyond the room, in whole characters: a cut character would show as U+FFFD.
    if (fits > room - sizeof ellipsis)
        for (fits = room - sizeof ellipsis; fits > 0 && ((unsigned char)text[fits] & 0xc0) == 0x80; fits--)
            continue;
    memcpy(out, text, fits);
    memcpy(out + fits, ellipsis, sizeof ellipsis);
}
