/*
 * Migrations: the SQL files of a backend, embedded at build time.
 *
 * Every file src/store/<backend>/migrations/NNNN_name.sql becomes one row of
 * <backend>_migrations, in order, numbered from 1 without gaps. scripts/embed writes the tables
 * as assembly and fixes the layout of this struct; a new file needs no other change.
 */
#ifndef STORE_CONTRACT_MIGRATIONS_H
#define STORE_CONTRACT_MIGRATIONS_H

#include <stddef.h>

struct migration {
    int number;       /* 1 for 0001_init.sql */
    const char *name; /* "0001_init" */
    const char *sql;  /* the file's bytes, followed by a NUL */
    size_t len;       /* without the NUL */
};

_Static_assert(sizeof(struct migration) == 32 && offsetof(struct migration, name) == 8,
               "scripts/embed writes this layout");

/* Declare the migrations of a backend, in the one file of it that runs them. */
#define MIGRATIONS(backend)                                                                        \
    extern const struct migration backend##_migrations[];                                          \
    extern const size_t backend##_migrations_count

#endif
