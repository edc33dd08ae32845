/* The environment of children: which of our variables they get, and how settings name secrets. */
#ifndef CHILD_ENVIRONMENT_H
#define CHILD_ENVIRONMENT_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>

/* Does every child get this variable? PATH HOME USER LOGNAME LANG LC_* TZ TERM TMPDIR XDG_* */
bool environment_is_usual(struct bough_str name);

/* Does the name say that the value is a secret? Such a value is blanked in what a child writes. */
bool environment_is_secret(struct bough_str name);

/*
 * The value that a setting names: `$NAME` is read from `from` ("NAME=value", ended by NULL; NULL:
 * our environment), `file:PATH` from the file without its line end, and both are secrets.
 * Everything else, also `${...}`, is the text itself. BOUGH_INVALID: the variable or the file is
 * not there, or empty.
 */
BOUGH_MUST_CHECK enum bough_rc environment_value(struct bough_arena *a, const char *const *from,
                                                 const char *text, const char **out, bool *secret,
                                                 struct bough_error *err);

#endif
