/* Lists of entries for writers that must look ahead, or write one path of a tree. */
#ifndef FORMATS_COMMON_KEPT_H
#define FORMATS_COMMON_KEPT_H

#include "core/part/view.h"
#include "formats/common/format.h"
#include "formats/common/names.h"

struct kept {
    struct kept *next; /* in order of writing */
    struct kept *up;   /* its parent */
    struct bough_entry e;
    const char *id, *parent;
};

struct kept_list {
    struct kept *first, **end, *last;
    size_t n;
    struct names ids; /* id -> its index in `all`, as text */
    struct kept **all;
};

/* Append a deep copy of the entry, in `a`. */
struct kept *kept_add(struct bough_arena *a, struct kept_list *l, const struct written_entry *we);
struct kept *kept_find(const struct kept_list *l, const char *id); /* NULL: not found */

/* The entries from the root to `tip`; *n: how many. */
struct kept **kept_path(struct bough_arena *a, struct kept *tip, size_t *n);

/* The result of a tool call, searched in the path from index `from` on; NULL: none. */
const struct part_view *kept_result(struct bough_arena *a, struct kept *const *path, size_t n,
                                    size_t from, const char *call);
/* Does it consist only of results of earlier tool calls? */
bool kept_is_results(struct bough_arena *a, const struct bough_entry *e);

#endif
