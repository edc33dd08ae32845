/* Markdown in messages, read with md4c. */
#ifndef FORMATS_PAGES_MARKUP_H
#define FORMATS_PAGES_MARKUP_H

#include "base/json/json.h"
#include "base/memory/buf.h"

/*
 * Write Markdown as an array of nodes. A node is a string, or an array: the name of an element,
 * then its nodes. Behind "a" comes the address, behind "ol" the first number. Raw HTML is text, an
 * image is a link. False, with nothing written: the text is too large to be read as Markdown.
 */
bool markup_put(struct json_writer *jw, struct bough_str text);

/* The text with a backslash before each "<" that begins raw HTML; code stays as it is. */
struct bough_str markup_without_html(struct bough_arena *a, struct bough_str text);

#endif
