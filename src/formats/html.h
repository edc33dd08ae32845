/* The page around a session's data. */
#ifndef FORMATS_HTML_H
#define FORMATS_HTML_H

#include "formats/format.h"

extern const char html_head[]; /* up to and with the opening tag of the data's script element */
extern const char html_tail[]; /* from its closing tag on */

#endif
