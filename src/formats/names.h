/* Names in files: which lines were seen, and ids that are made of nothing but the file. Pure. */
#ifndef FORMATS_NAMES_H
#define FORMATS_NAMES_H

#include <bough/arena.h>

#include <stdbool.h>

/* Text -> text, all in an arena, so that a reader may be left at any time. All zero is empty. */
struct names {
    struct name_slot *slots;
    size_t cap, n;
};

const char *names_get(const struct names *m, const char *key); /* NULL: not there */
void names_put(struct bough_arena *a, struct names *m, const char *key, const char *value);
void names_clear(struct names *m); /* empty again; keeps its room */

/*
 * Text -> RECENT_VALUE bytes, for files without end: at least the newest RECENT_MOST are known,
 * twice as many are held. Keys are their hashes. All in an arena; all zero is empty.
 */
enum { RECENT_MOST = 4096, RECENT_VALUE = 40 };

struct recent {
    struct recent_slot *young, *old;
    size_t cap, n;
};

void *recent_get(const struct recent *m, const char *key); /* NULL: not there, or long ago */
/* The place of its value: as it was, or all zero. */
void *recent_put(struct bough_arena *a, struct recent *m, const char *key);
void recent_clear(struct recent *m); /* empty again; keeps its room */

/* The same bytes give the same 32 hexadecimal digits, everywhere and always. */
enum { HEX_TEXT = 33 };
void made_hex(struct bough_str of, char out[HEX_TEXT]);

/* An id as tools want them that know only UUIDs: itself when it is one, else one made of it. */
bool is_uuid(const char *s);
const char *as_uuid(struct bough_arena *a, const char *id);

#endif
