/* Kept entries: for writers that must look ahead, or write a path out of a tree. */
#ifndef FORMATS_KEPT_H
#define FORMATS_KEPT_H

#include "core/view.h"
#include "formats/format.h"
#include "formats/names.h"

struct kept {
    struct kept *next; /* in order of writing */
    struct kept *up;   /* the entry it follows */
    struct bough_entry e;
    const char *id, *parent;
};

struct kept_list {
    struct kept *first, **end, *last;
    size_t n;
    struct names ids; /* id -> its place in `all`, as text */
    struct kept **all;
    size_t cap;
};

/* A copy in `a` of the entry and all it points to. */
struct kept *kept_add(struct bough_arena *a, struct kept_list *l, const struct written_entry *we);
struct kept *kept_find(const struct kept_list *l, const char *id); /* NULL: not there */

/* From the root to `tip`; *n entries. */
struct kept **kept_path(struct bough_arena *a, struct kept *tip, size_t *n);

/* The result of a call in the entries of a path behind place `from`; NULL: it has none. */
const struct part_view *kept_result(struct bough_arena *a, struct kept *const *path, size_t n,
                                    size_t from, const char *call);
/* Is it nothing but results of calls that came before it? */
bool kept_is_results(struct bough_arena *a, const struct bough_entry *e);

#endif
