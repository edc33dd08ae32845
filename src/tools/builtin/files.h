/* Inside the tools for files. */
#ifndef TOOLS_BUILTIN_FILES_H
#define TOOLS_BUILTIN_FILES_H

#include "tools/builtin/builtin.h"

enum { FILES_MOST = 8 * 1024 * 1024 }; /* bytes of a file that is read or written */

/* The argument `path`, relative to the workspace; NULL: the call has failed. */
const char *files_path(struct builtin_call *c, const char *fallback);

/* ---- files_find.c ---- */

extern const struct builtin_field files_list_fields[], files_search_fields[];
void files_list(struct builtin_call *c);
void files_search(struct builtin_call *c);

#endif
