/* The web page: its files, embedded in the program, as routes. It talks to the API only. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "http/http.h"

/* One file of the page, compressed. The table is made by scripts/embed-page from build/web. */
struct page_file {
    const char *name; /* "index.html", "assets/index-1a2b.js" */
    const char *type; /* media type */
    const char *tag;  /* identifies its contents */
    const unsigned char *gz;
    uint64_t n;
    uint64_t hashed; /* its name changes with its contents: clients keep it for ever */
};

extern const struct page_file page_files[];
extern const uint64_t page_files_count; /* 0 in a program built with NO_UI=1 */

/* Routes of the page: the addresses it shows, and its files. Without files "/" leads to "/api". */
extern const struct http_route page_routes[];

/* Serve files of this folder instead of the embedded ones, while editing the page. Call before
 * the server starts. NULL: the embedded ones. */
void page_from(const char *dir);

#endif
