// SPDX-License-Identifier: MIT
// A small reader of XML for tests of pictures: enough to tell a well-formed document from a broken one and to count.
#ifndef MCO_SVG_SUPPORT_H
#define MCO_SVG_SUPPORT_H

#include "test_support.h"

#include <ctype.h>

#include "render/svg.h"

enum { SVG_DEEPEST = 16, SVG_LONGEST_NAME = 16 };

static bool svg_is_entity(const char *at)
{
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (int i = 0; i < COUNT_OF(entities); i++)
        if (strncmp(at, entities[i], strlen(entities[i])) == 0)
            return true;
    return false;
}

// Skips from the end of a tag's name to its '>'. NULL if an attribute is not name="value", or has '<' or a bare '&' in
// its value.
static const char *svg_skip_attributes(const char *at)
{
    while (*at == ' ') {
        at++;
        while (isalnum((unsigned char)*at) || *at == '-')
            at++;
        if (at[0] != '=' || at[1] != '"')
            return NULL;
        for (at += 2; *at != '"'; at++)
            if (*at == '\0' || *at == '<' || (*at == '&' && !svg_is_entity(at)))
                return NULL;
        at++;
    }
    return at;
}

TEST_UNUSED static bool svg_is_well_formed(const char *text)
{
    char open[SVG_DEEPEST][SVG_LONGEST_NAME + 1];
    int depth = 0, roots = 0;
    const char *at = strncmp(text, "<?xml", 5) == 0 ? strstr(text, "?>") + 2 : text;
    for (; *at != '\0'; at++) {
        if (*at == '&' && !svg_is_entity(at))
            return false;
        if (*at != '<' && (*at == '>' || ((unsigned char)*at < 0x20 && *at != '\n')))
            return false;
        if (*at != '<')
            continue;
        bool is_closing = at[1] == '/';
        at += is_closing ? 2 : 1;
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        if (length == 0 || length > SVG_LONGEST_NAME)
            return false;
        if (is_closing) {
            if (depth == 0 || strlen(open[depth - 1]) != length || strncmp(open[depth - 1], at, length) != 0)
                return false;
            depth--;
            at += length;
        } else {
            if (depth == SVG_DEEPEST || (depth == 0 && roots++ > 0))
                return false;
            snprintf(open[depth++], SVG_LONGEST_NAME + 1, "%.*s", (int)length, at);
            at = svg_skip_attributes(at + length);
            if (at == NULL)
                return false;
            if (*at == '/') {
                depth--;
                at++;
            }
        }
        if (*at != '>')
            return false;
    }
    return depth == 0 && roots == 1;
}

TEST_UNUSED static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

// How often `part` occurs in the first group of class `group`, which must hold no other group.
TEST_UNUSED static int count_in_group(const char *text, const char *group, const char *part)
{
    char opening[64];
    snprintf(opening, sizeof opening, "<g class=\"%s\">", group);
    const char *from = strstr(text, opening);
    assert_non_null(from);
    const char *end = strstr(from, "</g>");
    int count = 0;
    for (const char *at = from; (at = strstr(at, part)) != NULL && at < end; at++)
        count++;
    return count;
}

// The attribute `name` of the tag at `tag`, as a number; `missing` where there is none.
static double svg_number(const char *tag, const char *name, double missing)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s=\"", name);
    const char *at = strstr(tag, pattern), *end = strchr(tag, '>');
    return at != NULL && at < end ? strtod(at + strlen(pattern), NULL) : missing;
}

static bool svg_tag_has(const char *tag, const char *part)
{
    const char *at = strstr(tag, part);
    return at != NULL && at < strchr(tag, '>');
}

// Whether a text lies within left..right and top..bottom, by the estimate of its width. Entities count as one letter.
static bool svg_text_is_inside(const char *tag, double left, double top, double right, double bottom)
{
    char content[2048];
    size_t length = 0;
    const double font = svg_tag_has(tag, "\"title\"") ? 18 : svg_tag_has(tag, "\"small\"") ? 9 : 12;
    for (const char *at = strchr(tag, '>') + 1; *at != '<' && length + 1 < sizeof content; at++) {
        content[length++] = *at;
        if (*at == '&')
            at = strchr(at, ';');
    }
    content[length] = '\0';
    const double width = mco_svg_text_width(content, font), x = svg_number(tag, "x", 0), y = svg_number(tag, "y", 0);
    const double before = svg_tag_has(tag, "\"middle\"") ? width / 2 : svg_tag_has(tag, "\"end\"") ? width : 0;
    const double rounding = 0.01;
    if (svg_tag_has(tag, "rotate"))
        return x - font >= left && x <= right && y - width + before >= top && y + before <= bottom;
    return x - before >= left - rounding && x - before + width <= right + rounding && y - 0.85 * font >= top - rounding &&
           y <= bottom + rounding;
}

// Counts the texts of the first group of class `group` (NULL: of the whole picture) that are not within the bounds.
TEST_UNUSED static int svg_texts_outside(const char *text, const char *group, double left, double top, double right,
                                         double bottom)
{
    char opening[64];
    snprintf(opening, sizeof opening, "<g class=\"%s\">", group != NULL ? group : "");
    const char *from = group != NULL ? strstr(text, opening) : text;
    assert_non_null(from);
    const char *end = group != NULL ? strstr(from, "</g>") : text + strlen(text);
    int count = 0;
    for (const char *at = from; (at = strstr(at, "<text")) != NULL && at < end; at++)
        count += !svg_text_is_inside(at, left, top, right, bottom);
    return count;
}

// Whether all texts of a picture, and all its rectangles, are within its frame.
TEST_UNUSED static bool svg_is_inside_its_frame(const char *text)
{
    const char *svg = strstr(text, "<svg");
    const double width = svg_number(svg, "width", 0), height = svg_number(svg, "height", 0);
    if (svg_texts_outside(text, NULL, 0, 0, width, height) > 0)
        return false;
    for (const char *at = svg; (at = strstr(at, "<rect class")) != NULL; at++) {
        const double x = svg_number(at, "x", 0), y = svg_number(at, "y", 0);
        if (x < 0 || y < 0 || x + svg_number(at, "width", 0) > width || y + svg_number(at, "height", 0) > height)
            return false;
    }
    return true;
}

// The whole content of a file, NUL-terminated. To be freed.
TEST_UNUSED static char *svg_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

#endif
