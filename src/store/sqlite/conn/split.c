/*
 * A tokenizer for FTS5 that splits at spaces. The words of a document arrive folded and separated
 * by single spaces (core/search), so the index needs no second look at their characters.
 *
 * It takes the name of FTS5's own tokenizer `ascii`, which the schema names, on the connections
 * that write documents. For such words both give the same tokens, so a file that one has indexed is
 * read by a connection with the other, and by other programs.
 */
#include <string.h>

#include "store/sqlite/conn/db.h"

static char no_state; /* FTS5 wants a pointer for each tokenizer */

static int split_create(void *user, const char **args, int n, Fts5Tokenizer **out)
{
    (void)user;
    (void)args;
    (void)n;
    *out = (Fts5Tokenizer *)(void *)&no_state;
    return SQLITE_OK;
}

static void split_delete(Fts5Tokenizer *t)
{
    (void)t;
}

static int split(Fts5Tokenizer *t, void *user, int why, const char *text, int n,
                 int (*token)(void *user, int flags, const char *word, int n, int from, int to))
{
    int code = SQLITE_OK, at = 0;

    (void)t;
    (void)why;
    while (at < n && code == SQLITE_OK) {
        const char *end = memchr(text + at, ' ', (size_t)(n - at));
        int to = end ? (int)(end - text) : n;

        if (to > at)
            code = token(user, 0, text + at, to - at, at, to);
        at = to + 1;
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* FTS5's functions for this connection, or NULL. */
static fts5_api *fts5_of(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;
    fts5_api *api = NULL;

    if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &st, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(st, 1, &api, "fts5_api_ptr", NULL);
        sqlite3_step(st);
    }
    sqlite3_finalize(st);
    return api;
}

void conn_split_words(struct conn *c)
{
    fts5_tokenizer how = { split_create, split_delete, split };
    fts5_api *api = c->splits ? NULL : fts5_of(c->db);

    c->splits = true;
    if (api)
        (void)api->xCreateTokenizer(api, "ascii", NULL, &how, NULL); /* else FTS5's own is used */
}
