/* bough sql: SQL over the tables of a store, reading only. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "store/query.h"

struct asked {
    struct cli *c;
    struct table t;
    struct table_column columns[TABLE_COLUMNS];
    bool table; /* rows are gathered to line them up */
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

/* A statement begins: a person gets a table of it. */
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

/* What follows the scheme of a URL; NULL when it has another one. */
static const char *behind(const char *url, const char *scheme)
{
    size_t n = strlen(scheme);

    return strncmp(url, scheme, n) == 0 ? url + n : NULL;
}

static enum bough_rc ask(struct cli *c, const char *sql, struct asked *q)
{
    const char *rest = behind(c->store, "postgres:");

    if (!rest)
        rest = behind(c->store, "postgresql:");
    if (rest)
        return postgres_query(c->a, rest, sql, on_row, q, &c->err);
    rest = behind(c->store, "sqlite:");
    return sqlite_query(c->a, rest ? rest : c->store, sql, on_row, q, &c->err);
}

static int run(struct cli *c)
{
    struct asked q = { .c = c };
    struct bough_info info;
    const char *sql;
    int rc = cli_text(c, c->argv[0], &sql);

    if (!rc)
        rc = cli_open(c, CLI_READ); /* it is a store, and stays one while we look */
    if (rc)
        return rc;
    if (bough_store_info(c->s, c->a, &info, &c->err))
        return cli_failed(c);
    if (strcmp(info.backend, "memory") == 0)
        return cli_usage(c, "only a store in a file or in PostgreSQL has tables; this is memory");
    cli_page(c);
    if (ask(c, sql, &q))
        rc = cli_failed(c);
    if (q.table)
        table_print(&q.t, &c->out);
    return rc;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "JSON Lines, one object a row" },
    { 0 },
};

const struct cli_cmd cmd_sql = {
    .name = "sql",
    .args = "<query>",
    .summary = "read the tables of the store with SQL",
    .options = options,
    .run = run,
    .about =
        "Three tables are for reading what was said.\n\n"
        "sessions: id, metadata, created_at, updated_at, account_id, project_id, workspace_id,\n"
        "parent_id, slug, title, status, version, provider, role_name, data.\n\n"
        "messages: id, metadata, created_at, updated_at, session_id, role, data, sequence.\n\n"
        "parts: id, metadata, created_at, updated_at, message_id, session_id, type, data.\n\n"
        "metadata and data are JSON, times ISO 8601 in UTC, projects, workspaces and accounts "
        "their "
        "names.\n"
        "A message belongs to the session that wrote it: a fork has only its own. Deleted sessions "
        "and\n"
        "messages are left out. An id, a slug, parent_id, session_id or message_id that is given "
        "is\n"
        "looked up, and so are parts by type within a session; other conditions read every row. "
        "Large\n"
        "base64 that is kept as an attachment is not in the data of its part: the attachment's "
        "name\n"
        "stands in its place.\n\n"
        "All other tables are for looking under the hood: docs/schema.md describes them, and much "
        "of what\n"
        "they hold is packed. Only reading is allowed. Blobs are shown in hex. The query may be - "
        "for\n"
        "stdin. A store in PostgreSQL is asked in PostgreSQL's SQL, and answers within 60 seconds "
        "or not\n"
        "at all.",
    .columns = "those of the query",
    .fields = "those of the query",
    .examples =
        "bough sql \"SELECT s.slug, count(*) FROM sessions s JOIN messages m ON m.session_id = "
        "s.id "
        "GROUP BY 1\"\n"
        "bough sql \"SELECT data FROM parts WHERE session_id = '01J...' AND type = 'tool'\"\n"
        "bough sql \"SELECT kind, count(*) FROM log GROUP BY kind\"",
};
