/* The HTML page around a session's data. */
#ifndef FORMATS_HTML_H
#define FORMATS_HTML_H

#include "formats/common/format.h"

extern const char html_head[];  /* up to the page's title */
extern const char html_style[]; /* from there to the opening tag of the data's script element */
extern const char html_tail[];  /* from its closing tag on */

#endif
