/* Seen rows of the memory backend. */
#ifndef STORE_MEMORY_SEEN_H
#define STORE_MEMORY_SEEN_H

#include "store/memory/memory.h"

/* mem_put_seen() replaces a row with the same key and number. */
void mem_put_seen(struct memory *m, const struct seen_row *row);
void mem_del_seen(struct memory *m, const struct seen_row *key);
void mem_purge_seen(struct memory *m, int64_t sid); /* of a purged session */
void mem_clear_seen(struct memory *m);
void mem_scan_seen(struct memory *m, raw_fn fn, void *user);       /* in order of the key */
int64_t mem_seen_last(struct memory *m, const unsigned char *key); /* its newest number, or 0 */
enum bough_rc memory_seen_find(struct snapshot *v, const unsigned char key[SEEN_KEY_BYTES],
                               seen_fn fn, void *user, struct bough_error *err);

#endif
