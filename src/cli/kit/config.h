/* Settings: options override the environment, which overrides $XDG_CONFIG_HOME/bough/config.ini. */
#ifndef CLI_KIT_CONFIG_H
#define CLI_KIT_CONFIG_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>

#include "gateway/providers.h"

/* One row a setting; the table ends with { 0 }. */
struct config_key {
    const char *name;  /* "pager", or "section.name" */
    const char *env;   /* variable that overrides the file, or NULL */
    const char *about; /* one line, small letter, no full stop */
};

extern const struct config_key config_keys[];
const struct config_key *config_key(const char *name); /* NULL: unknown */

/* Path of the file; NULL when neither XDG_CONFIG_HOME nor HOME is set. */
const char *config_path(struct bough_arena *a);

/* The value of a setting and its origin ("environment", "file"); *value is NULL when it is not set.
 * `from` may be NULL. BOUGH_INVALID, with the line, when the file cannot be parsed. */
BOUGH_MUST_CHECK enum bough_rc config_get(struct bough_arena *a, const char *name,
                                          const char **value, const char **from,
                                          struct bough_error *err);

struct config_pairs {
    struct gateway_setting *at; /* [section] name = value; the section is "" in front of all */
    size_t n;
};

/* All lines of the file, in their order; a name can be there more than once. None when there is no
 * file. BOUGH_INVALID, with the line, when it cannot be parsed. */
BOUGH_MUST_CHECK enum bough_rc config_each(struct bough_arena *a, struct config_pairs *out,
                                           struct bough_error *err);

/* Set a value in the file; NULL removes it. Everything else in the file is kept. Creates the file
 * and its directory. BOUGH_INVALID for a value with a line break or a leading blank. */
BOUGH_MUST_CHECK enum bough_rc config_set(struct bough_arena *a, const char *name,
                                          const char *value, struct bough_error *err);

#endif
