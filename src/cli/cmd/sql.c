/* bough sql: read-only SQL over the tables of a store. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"
#include "store/contract/backend.h"

struct asked {
    struct cli *c;
    struct table t;
    struct table_column columns[TABLE_COLUMNS];
    bool table; /* collect rows to align them */
};

static const char *hex(struct bough_arena *a, struct bough_str s)
{
    static const char digits[] = "0123456789abcdef";
    char *out = arena_alloc(a, 2 * s.n + 1);

    for (size_t i = 0; i < s.n; i++) {
        out[2 * i] = digits[(unsigned char)s.p[i] >> 4];
        out[2 * i + 1] = digits[(unsigned char)s.p[i] & 15];
    }
    out[2 * s.n] = '\0';
    return out;
}

static const char *text_of(struct bough_arena *a, const struct query_value *v)
{
    switch (v->type) {
    case QUERY_NULL:
        return "";
    case QUERY_INT:
        return arena_printf(a, "%" PRId64, v->i);
    case QUERY_REAL:
        return arena_printf(a, "%.15g", v->d);
    case QUERY_TEXT:
        return arena_strndup(a, v->s.p, v->s.n);
    case QUERY_BLOB:
        return hex(a, v->s);
    }
    return "";
}

static void put_json(struct cli *c, const struct query_row *row, struct bough_arena *a)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    for (size_t i = 0; i < row->n; i++) {
        const struct query_value *v = &row->values[i];

        jw_key_str(w, str_of(row->names[i]));
        if (v->type == QUERY_NULL)
            jw_null(w);
        else if (v->type == QUERY_INT)
            jw_i64(w, v->i);
        else if (v->type == QUERY_REAL)
            jw_f64(w, v->d);
        else if (v->type == QUERY_TEXT)
            jw_str(w, v->s);
        else
            jw_cstr(w, hex(a, v->s));
    }
    jw_end_obj(w);
    out_json_end(&c->out);
}

/* A new statement begins: print the previous table. On a terminal its rows are collected as a
 * table. */
static void begin(struct asked *q, const struct query_row *row)
{
    if (q->table)
        table_print(&q->t, &q->c->out);
    q->table = q->c->out.tty && row->n && row->n <= TABLE_COLUMNS;
    if (!q->table)
        return;
    for (size_t i = 0; i < row->n; i++)
        q->columns[i] =
            (struct table_column){ .title = arena_strdup(q->c->a, row->names[i]), .flex = true };
    table_init(&q->t, q->c->a, q->columns, row->n);
}

static bool on_row(void *user, const struct query_row *row)
{
    struct asked *q = user;
    struct arena_mark mark;

    if (!row->values) {
        if (!q->c->out.json)
            begin(q, row);
        return true;
    }
    if (q->table) {
        for (size_t i = 0; i < row->n; i++)
            table_put(&q->t, text_of(q->c->a, &row->values[i]));
        return true;
    }
    mark = arena_mark(q->c->a);
    if (q->c->out.json) {
        put_json(q->c, row, q->c->a);
    } else {
        for (size_t i = 0; i < row->n; i++) {
            if (i)
                putchar('\t');
            print_line(stdout, text_of(q->c->a, &row->values[i]));
        }
        putchar('\n');
    }
    arena_rewind(q->c->a, mark);
    return !ferror(stdout);
}

/*
 * The rows go into a temporary file first, and are printed when the statements are done and the
 * store is closed. A statement that waits for a slow reader of its output would hold a snapshot,
 * and the log of the store could only grow meanwhile.
 */
struct spool {
    FILE *file; /* NULL: standard output is written directly */
    int out;    /* standard output meanwhile */
};

static void spool_begin(struct spool *s)
{
    struct stat st;

    s->file = fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? NULL : tmpfile();
    if (!s->file)
        return;
    fflush(stdout);
    s->out = dup(STDOUT_FILENO);
    if (s->out >= 0 && dup2(fileno(s->file), STDOUT_FILENO) >= 0)
        return;
    fclose(s->file);
    s->file = NULL;
}

static bool spool_end(struct spool *s)
{
    char piece[65536];
    size_t n;
    bool ok = fflush(stdout) == 0;

    if (!s->file)
        return ok;
    dup2(s->out, STDOUT_FILENO);
    close(s->out);
    rewind(s->file);
    while (ok && (n = fread(piece, 1, sizeof piece, s->file)) > 0)
        ok = fwrite(piece, 1, n, stdout) == n;
    fclose(s->file);
    return ok;
}

static int run(struct cli *c)
{
    struct asked q = { .c = c };
    const struct backend_ops *backend;
    const char *sql, *path;
    struct spool spool;
    int rc = cli_text(c, c->argv[0], &sql);

    if (!rc)
        rc = cli_open(c, CLI_READ); /* verifies that it is a store, and migrates an old one */
    if (rc)
        return rc;
    backend = backend_choose(c->store, &path); /* not NULL: the store is open */
    cli_page(c);
    spool_begin(&spool);
    if (backend->query(c->a, path, sql, on_row, &q, &c->err))
        rc = cli_failed(c);
    if (q.table)
        table_print(&q.t, &c->out);
    bough_store_close(&c->s);
    return spool_end(&spool) || rc ? rc : CLI_FAILED;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "JSON Lines, one object per row" },
    { 0 },
};

const struct cli_cmd cmd_sql = {
    .name = "sql",
    .args = "<query>",
    .summary = "query the tables of the store with SQL, read-only",
    .options = options,
    .run = run,
    .about =
        "Three tables hold the conversations.\n\nsessions: id, metadata, created_at, updated_at, "
        "account_id, project_id, workspace_id, parent_id, slug, title, status, version, provider, "
        "role_name, data.\n\nmessages: id, metadata, created_at, updated_at, session_id, role, "
        "data, sequence.\n\nparts: id, metadata, created_at, updated_at, message_id, session_id, "
        "type, data.\n\nmetadata and data are JSON, times are ISO 8601 in UTC, and projects, "
        "workspaces and accounts are given by name. A message belongs to the session that wrote "
        "it: a fork has only its own. Deleted sessions and messages are left out. Conditions on "
        "id, slug, parent_id, session_id or message_id use an index, and so do parts by type "
        "within a session; other conditions read every row. Large base64 that is kept as an "
        "attachment is not in the data of its part: the attachment's name takes its place.\n\nAll "
        "other tables are internal: docs/schema.md describes them, and much of their content is "
        "packed. Only reading is allowed. Blobs are shown in hex. The query may be - for stdin. A "
        "store in PostgreSQL takes PostgreSQL's SQL, and a query is cancelled after 60 seconds.",
    .columns = "as in the query",
    .fields = "as in the query",
    .examples =
        "bough sql \"SELECT s.slug, count(*) FROM sessions s JOIN messages m ON m.session_id = "
        "s.id "
        "GROUP BY 1\"\n"
        "bough sql \"SELECT data FROM parts WHERE session_id = '01J...' AND type = 'tool'\"\n"
        "bough sql \"SELECT kind, count(*) FROM log GROUP BY kind\"",
};
