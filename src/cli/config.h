/* Settings: flags over the environment over one file, $XDG_CONFIG_HOME/bough/config.ini. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>

/* One row a setting; the table ends with { 0 }. */
struct config_key {
    const char *name;  /* "pager", or "section.name" */
    const char *env;   /* the variable that beats the file, or NULL */
    const char *about; /* one line, small letter, no full stop */
};

extern const struct config_key config_keys[];
const struct config_key *config_key(const char *name); /* NULL: there is none */

/* Where the file is; NULL when there is no home. */
const char *config_path(struct bough_arena *a);

/* The value of a setting and who says so ("environment", "file"); NULL when nobody does. A file
 * that cannot be read is BOUGH_INVALID with its line. */
BOUGH_MUST_CHECK enum bough_rc config_get(struct bough_arena *a, const char *name,
                                          const char **value, const char **from,
                                          struct bough_error *err);

/* Write it down, NULL to take it out; everything else in the file stays as it is. */
BOUGH_MUST_CHECK enum bough_rc config_set(struct bough_arena *a, const char *name,
                                          const char *value, struct bough_error *err);

#endif
