/* Texts that every JSON reader must accept or refuse, shared by several test files. */
#ifndef JSON_CASES_H
#define JSON_CASES_H

#include <bough/arena.h>

#include <stddef.h>

extern const struct bough_str json_good[];
extern const struct bough_str json_bad[];
extern const size_t json_n_good;
extern const size_t json_n_bad;

#endif
