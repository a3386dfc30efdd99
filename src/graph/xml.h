// SPDX-License-Identifier: MIT
// A small reader of XML that pulls element by element. It knows elements, attributes, text, comments, CDATA, processing
// instructions, a document type without declarations, and the entities of XML. What else XML has is refused with its place.
// The text is UTF-8. Names of elements lose their prefix.
#ifndef MCO_GRAPH_XML_H
#define MCO_GRAPH_XML_H

#include "base/text.h"

enum { XML_DEPTH = 64, XML_ATTRIBUTES = 32 };

// `text` is set before use, the rest is zero.
typedef struct xml_reader {
    mco_text *text;
    mco_slice name;                     // of the element that was entered last, with its place
    mco_slice attributes[XML_ATTRIBUTES][2];  // of the same: names and values, entities as they stand
    int attribute_count;
    mco_slice open[XML_DEPTH];          // full names of the elements around the next byte
    int depth;
    bool is_closed;                     // the element was "<name/>": its end comes next
    char *value;                        // [value_room] decoded characters
    int64_t value_size, value_room;
} xml_reader;

// Enters the root element, which must have this name. Errors: PARSE.
mco_status xml_root(xml_reader *xml, const char *name);
// Enters the next element inside the one that is open; at its end leaves it and sets *has_child to false. Text between
// elements must be blank. Errors: PARSE.
mco_status xml_child(xml_reader *xml, bool *has_child);
// Whether the element that was entered last is called so.
bool xml_is(const xml_reader *xml, const char *name);
// The value of an attribute of the element that was entered last, with entities as they stand. False if it has none.
bool xml_attribute(const xml_reader *xml, const char *name, mco_slice *value);
// Replaces entities. *out is valid until the next call of this or of xml_content(). Errors: PARSE, MEMORY.
mco_status xml_decode(xml_reader *xml, mco_slice raw, mco_slice *out);
// Leaves the element that was entered last. *out is its text without blanks at both ends; valid as above. Errors: PARSE (it has
// elements), MEMORY.
mco_status xml_content(xml_reader *xml, mco_slice *out);
// Leaves the element that was entered last, whatever it has. Errors: PARSE.
mco_status xml_skip(xml_reader *xml);
// Nothing but comments may follow. Errors: PARSE.
mco_status xml_end(xml_reader *xml);
void xml_clear(xml_reader *xml);

#endif
