/* Maps of names in a file, and ids that are derived from the file alone. Pure. */
#ifndef FORMATS_COMMON_NAMES_H
#define FORMATS_COMMON_NAMES_H

#include <bough/arena.h>

#include <stdbool.h>

/* A map of strings to strings, in an arena: no cleanup is needed. All zero is empty. */
struct names {
    struct name_slot *slots;
    size_t cap, n;
};

const char *names_get(const struct names *m, const char *key); /* NULL: not found */
void names_put(struct bough_arena *a, struct names *m, const char *key, const char *value);
void names_clear(struct names *m); /* removes all; keeps the memory */

/* A map of strings to RECENT_VALUE bytes, in bounded memory, for files of any length. It holds at
 * least the newest RECENT_MOST keys and at most twice as many. Keys are compared by hash only. In
 * an arena; all zero is empty. */
enum { RECENT_MOST = 4096, RECENT_VALUE = 40 };

struct recent {
    struct recent_slot *young, *old;
    size_t cap, n;
};

void *recent_get(const struct recent *m, const char *key); /* NULL: not found, or dropped */
/* The value of the key: the existing one, or all zero. Valid until the next recent_put(). */
void *recent_put(struct bough_arena *a, struct recent *m, const char *key);
void recent_clear(struct recent *m); /* removes all; keeps the memory */

/* 32 hex digits derived from the bytes: the same on every machine. */
enum { HEX_TEXT = 33 };
void made_hex(struct bough_str of, char out[HEX_TEXT]);

/* For tools that accept only UUIDs: the id itself if it is one, else one derived from it. */
bool is_uuid(const char *s);
const char *as_uuid(struct bough_arena *a, const char *id);

#endif
