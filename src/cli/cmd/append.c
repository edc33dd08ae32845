/* bough append: append entries to a session. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/when.h"
#include "core/model/names.h"
#include "core/part/view.h"

enum { BATCH = 500 };

static int report(struct cli *c, const struct bough_append_result *out)
{
    struct json_writer *w;

    if (c->out.json) {
        w = out_json(&c->out);
        form_appended(w, out);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    for (size_t i = 0; i < out->n; i++)
        puts(out->ids[i]);
    return CLI_DONE;
}

/* ---- many entries, as JSON Lines ---- */

struct lines {
    struct cli *c;
    const char *session;
    struct bough_entry_new *batch;
    size_t n;
    long line;
};

static int flush_lines(struct lines *l)
{
    struct bough_append_options in = { .entries = l->batch, .n = l->n };
    struct bough_append_result out;

    if (!l->n)
        return CLI_DONE;
    l->n = 0;
    if (bough_append(l->c->s, l->c->a, l->session, &in, &out, &l->c->err))
        return cli_failed(l->c);
    return report(l->c, &out);
}

/* The time of a line; 0: it has none, so it is now. */
static enum bough_rc time_of(struct lines *l, struct json j, int64_t *ms)
{
    struct json t;
    const char *text = json_cstr(l->c->a, j, "time");

    *ms = 0;
    if (!json_get(j, "time", &t) || json_type(t) == JSON_NULL)
        return BOUGH_OK;
    if ((text ? when_parse(text, l->c->out.now, ms) : json_i64(t, ms)) && *ms > 0)
        return BOUGH_OK;
    return bough_fail(&l->c->err, BOUGH_INVALID,
                      "the time must be after 1970, such as 2026-11-16T10:00:00Z or milliseconds");
}

static enum bough_rc read_line(struct lines *l, struct bough_str text, struct bough_entry_new *e)
{
    struct bough_arena *a = l->c->a;
    struct bough_error *err = &l->c->err;
    struct bough_str *parts;
    struct json j = { 0 }, content = { 0 };
    const char *kind, *role;
    enum bough_rc rc = json_parse(a, text, &j, err);

    if (rc)
        return rc;
    if (json_type(j) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "not a JSON object");
    kind = json_cstr(a, j, "kind");
    e->kind = kind ? entry_kind_parse(kind) : BOUGH_ENTRY_MESSAGE;
    e->kind_name = kind;
    role = json_cstr(a, j, "role");
    e->role = role ? bough_role_parse(role) : BOUGH_ROLE_NONE;
    e->id = json_cstr(a, j, "id");
    e->finish = json_cstr(a, j, "finish");
    e->data = view_keep_role(a, role, json_raw(json_member(j, "data")));
    e->metadata = json_raw(json_member(j, "metadata"));
    e->text = json_cstr(a, j, "text");
    rc = time_of(l, j, &e->time);
    if (rc)
        return rc;
    if (!json_get(j, "parts", &content) && !json_get(j, "content", &content))
        return BOUGH_OK;
    rc = bough_parts_split(a, json_raw(content), &parts, &e->nparts, err);
    e->parts = parts;
    return rc;
}

static int append_lines(struct cli *c, const char *session)
{
    struct lines l = { .c = c, .session = session };
    struct bough_str rest, line;
    int rc = cli_input(c, "-", &rest);

    l.batch = arena_array(c->a, BATCH, sizeof *l.batch);
    while (!rc && rest.n) {
        const char *end = memchr(rest.p, '\n', rest.n);

        line = str_make(rest.p, end ? (size_t)(end - rest.p) : rest.n);
        rest = str_make(rest.p + line.n + (end != NULL), rest.n - line.n - (end != NULL));
        l.line++;
        if (!line.n)
            continue;
        l.batch[l.n] = (struct bough_entry_new){ 0 };
        if (read_line(&l, line, &l.batch[l.n])) {
            fprintf(stderr, "bough append: error in line %ld; the lines before it were stored\n",
                    l.line);
            rc = cli_failed(c);
            (void)flush_lines(&l);
        } else if (++l.n == BATCH) {
            rc = flush_lines(&l);
        }
    }
    return rc ? rc : flush_lines(&l);
}

/* ---- one entry ---- */

static int read_call(struct cli *c, struct bough_call_new *call, bool *any)
{
    static const char *const names[] = { "input", "output", "reasoning", "cache-read",
                                         "cache-write" };
    int64_t *to[] = { &call->used.input, &call->used.output, &call->used.reasoning,
                      &call->used.cache_read, &call->used.cache_write };
    const char *model = cli_value(c, "model"), *slash = model ? strchr(model, '/') : NULL;
    int rc = cli_money(c, "cost", &call->used.cost);

    *any = model || cli_has(c, "cost");
    for (size_t i = 0; i < sizeof names / sizeof *names && !rc; i++) {
        rc = cli_number(c, names[i], 0, to[i]);
        *any = *any || cli_has(c, names[i]);
    }
    if (slash)
        call->provider = arena_strndup(c->a, model, (size_t)(slash - model));
    call->model = slash ? slash + 1 : model;
    return rc;
}

/* Read the content: the text argument or --parts; "-" reads stdin. */
static int read_content(struct cli *c, struct bough_entry_new *e)
{
    struct bough_str json, *parts;
    int rc = CLI_DONE;

    if (cli_has(c, "parts") && c->argc > 1)
        return cli_usage(c, "text and --parts cannot be used together");
    if (cli_has(c, "parts")) {
        rc = cli_input(c, cli_value(c, "parts"), &json);
        if (!rc && bough_parts_split(c->a, json, &parts, &e->nparts, &c->err))
            rc = cli_failed(c);
        e->parts = rc ? NULL : parts;
    } else if (c->argc > 1) {
        rc = cli_text(c, c->argv[1], &e->text);
    } else if (e->kind == BOUGH_ENTRY_MESSAGE) {
        return cli_usage(c, "no content: give a text, - for stdin, --parts or --jsonl");
    }
    return rc;
}

static int append_one(struct cli *c, const char *session)
{
    const char *role = cli_value(c, "role"), *kind = cli_value(c, "kind");
    struct bough_call_new call = { .status = "ok" };
    struct bough_entry_new e = {
        .kind = kind ? entry_kind_parse(kind) : BOUGH_ENTRY_MESSAGE,
        .kind_name = kind,
        .role = kind ? BOUGH_ROLE_NONE : BOUGH_ROLE_USER,
        .id = cli_value(c, "id"),
        .data = str_of(cli_value(c, "data")),
    };
    struct bough_append_options in = { .entries = &e,
                                       .n = 1,
                                       .at_root = cli_has(c, "root"),
                                       .keep_head = cli_has(c, "keep-head"),
                                       .key = cli_value(c, "key") };
    struct bough_append_result out;
    bool called = false;
    int rc = read_content(c, &e);

    if (role)
        e.role = bough_role_parse(role);
    if (!rc && role && e.role == BOUGH_ROLE_OTHER) /* more likely a typing error than a word */
        return cli_usage(c, "--role must be system, user, assistant, tool, bash or custom");
    e.data = view_keep_role(c->a, role, e.data);
    if (!rc)
        rc = cli_when(c, "time", &e.time);
    if (!rc && cli_has(c, "time") && e.time <= 0)
        return cli_usage(c, "--time must be after 1970");
    if (!rc)
        rc = read_call(c, &call, &called);
    if (!rc && cli_has(c, "at"))
        rc = cli_entry(c, session, cli_value(c, "at"), &in.at);
    if (rc)
        return rc;
    call.time = e.time;
    in.call = called ? &call : NULL;
    e.by_call = called;
    e.usage = called ? &call.used : NULL;
    if (bough_append(c->s, c->a, session, &in, &out, &c->err))
        return cli_failed(c);
    return report(c, &out);
}

static int run(struct cli *c)
{
    struct bough_session *s;
    int rc = cli_open(c, CLI_WRITE);

    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (rc)
        return rc;
    return cli_has(c, "jsonl") ? append_lines(c, s->id) : append_one(c, s->id);
}

static const struct cli_option options[] = {
    { "role", 0, "ROLE", "role of the message (default: user)", cli_role_word },
    { "parts", 0, "JSON", "JSON array of parts instead of text; - reads stdin" },
    { "jsonl", 0, NULL, "read entries from stdin, one JSON object per line" },
    { "at", 0, "ENTRY", "append after this entry instead of the head" },
    { "root", 0, NULL, "start a new root" },
    { "keep-head", 0, NULL, "do not move the head" },
    { "model", 'm', "MODEL", "provider/model that wrote the message" },
    { "input", 0, "N", "input tokens" },
    { "output", 0, "N", "output tokens" },
    { "reasoning", 0, "N", "reasoning tokens" },
    { "cache-read", 0, "N", "tokens read from the cache" },
    { "cache-write", 0, "N", "tokens written to the cache" },
    { "cost", 0, "USD", "cost of the call" },
    { "kind", 0, "KIND", "kind of entry, such as model_change (message)" },
    { "data", 0, "JSON", "data of the entry" },
    { "time", 0, "TIME", "time of the entry (now)" },
    { "id", 0, "ID", "id of the entry in the tool it comes from" },
    { "key", 0, "KEY", "idempotency key: a repeated append is stored once" },
    { "json", 0, NULL, "print the result as JSON" },
    { 0 },
};

const struct cli_cmd cmd_append = {
    .name = "append",
    .args = "<session> [text]",
    .summary = "append a message to a session",
    .options = options,
    .run = run,
    .about = "Prints the id of the entry after it was written to disk. With --jsonl each line is "
             "an object with role and text (or parts, or content), and optionally kind, id, time, "
             "finish, data, metadata.",
    .columns = "id",
    .fields = "ids, call, head, no, replayed",
    .examples =
        "bough append . \"Fix it.\"\n"
        "git diff | bough append cache-bug -  # from stdin\n"
        "bough append . --role assistant -m anthropic/claude-sonnet-4-5 --input 1200 --output 300 "
        "--cost 0.0081 \"Done.\"",
};
