// SPDX-License-Identifier: MIT
// What routing files may ask for and no problem here supports, such as time windows. Messages name it, and not only the
// word that nobody knows.
#ifndef MCO_ROUTING_FEATURES_H
#define MCO_ROUTING_FEATURES_H

#include "base/text.h"

// Fails if the word, a keyword or the title of a column, belongs to such a feature. `what` stands before the word in
// the message: "the keyword is". Errors: PARSE.
mco_status routing_refuse_feature(mco_text *text, mco_slice word, const char *what);
// The same for a value of TYPE, such as VRPTW.
mco_status routing_refuse_type(mco_text *text, mco_slice value);
// Fails if the text is one of the formats that have no keywords: Solomon's, Gehring and Homberger's (time windows), or
// one of numbers alone. Errors: PARSE.
mco_status routing_refuse_format(const mco_text *text);

#endif
