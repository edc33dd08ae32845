/*
 * References from parts to attachments: naming them and finding them. Pure.
 *
 * A file part may reference an attachment: its `url` is then bough:sha256-<64 hex digits>. Long
 * base64 inside a file or tool part is moved to an attachment: the stored part has that name in
 * place of the base64. Reading the part puts the base64 back, byte for byte.
 */
#ifndef CORE_PACK_ATTACH_H
#define CORE_PACK_ATTACH_H

#include <bough/model.h>

enum {
    ATTACH_PREFIX_LEN = 13, /* "bough:sha256-" */
    ATTACH_NAME_LEN = ATTACH_PREFIX_LEN + 64,
    ATTACH_RUNS = 64, /* per part; further base64 strings stay inline */
};

/*
 * Convert between a hash and the name "bough:sha256-..." (attach_name adds a NUL). attach_parse
 * returns false unless `name` is exactly such a name with lower-case digits; `hash` is then
 * undefined.
 */
void attach_name(const unsigned char hash[32], char out[ATTACH_NAME_LEN + 1]);
bool attach_parse(struct bough_str name, unsigned char hash[32]);

/* Is this a file part whose `url` names an attachment? *at is the name's offset in its JSON. */
bool attach_named(const struct bough_part *part, unsigned char hash[32], size_t *at);

struct attach_run {
    size_t at, n; /* offset of the base64 in the part's JSON, and its length */
};

/*
 * Find the strings of a file or tool part that may be base64 of at least `min` characters, with or
 * without a "data:...;base64," header. Only the length is checked, not the characters: the caller
 * must decode them. Returns the number of runs, in text order.
 */
size_t attach_runs(const struct bough_part *part, size_t min, struct attach_run runs[ATTACH_RUNS]);

/*
 * The MIME type and file name that a part's JSON gives for the attachment at offset `at`, copied
 * into `a`; "" when absent. A data URL's type takes precedence.
 */
void attach_about(struct bough_arena *a, struct bough_str json, size_t at, const char **mime,
                  const char **name);

#endif
