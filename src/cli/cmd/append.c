/* bough append: say something in a session. */
#include <stdlib.h>
#include <string.h>

#include "api/forms.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/when.h"
#include "core/names.h"

enum { BATCH = 500 };

static int report(struct cli *c, const struct bough_appended *out)
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

/* ---- many, as JSON Lines ---- */

struct lines {
    struct cli *c;
    const char *session;
    struct bough_entry_new *batch;
    size_t n;
    long line;
};

static int flush_lines(struct lines *l)
{
    struct bough_append in = { .entries = l->batch, .n = l->n };
    struct bough_appended out;

    if (!l->n)
        return CLI_DONE;
    l->n = 0;
    if (bough_append(l->c->s, l->c->a, l->session, &in, &out, &l->c->err))
        return cli_failed(l->c);
    return report(l->c, &out);
}

static int64_t time_of(struct json j)
{
    struct json t = json_member(j, "time");
    int64_t ms = 0;
    struct bough_str s = json_raw(t);
    char text[40];

    if (json_type(t) == JSON_STRING && s.n > 2 && s.n < sizeof text) {
        memcpy(text, s.p + 1, s.n - 2);
        text[s.n - 2] = '\0';
        return when_parse(text, 0, &ms) ? ms : 0;
    }
    return json_i64(t, &ms) ? ms : 0;
}

static enum bough_rc read_line(struct lines *l, struct bough_str text, struct bough_entry_new *e)
{
    struct bough_arena *a = l->c->a;
    struct bough_error *err = &l->c->err;
    struct bough_str *parts;
    struct json j = { 0 }, content = { 0 };
    const char *kind;
    enum bough_rc rc = json_parse(a, text, &j, err);

    if (rc)
        return rc;
    if (json_type(j) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "it is no JSON object");
    kind = json_cstr(a, j, "kind");
    e->kind = kind ? entry_kind_parse(kind) : BOUGH_ENTRY_MESSAGE;
    e->kind_name = kind;
    e->role = json_cstr(a, j, "role") ? bough_role_parse(json_cstr(a, j, "role")) : BOUGH_ROLE_NONE;
    e->id = json_cstr(a, j, "id");
    e->finish = json_cstr(a, j, "finish");
    e->time = time_of(j);
    e->data = json_raw(json_member(j, "data"));
    e->metadata = json_raw(json_member(j, "metadata"));
    e->text = json_cstr(a, j, "text");
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
            fprintf(stderr, "bough append: line %ld: what came before it is stored\n", l.line);
            rc = cli_failed(c);
            (void)flush_lines(&l);
        } else if (++l.n == BATCH) {
            rc = flush_lines(&l);
        }
    }
    return rc ? rc : flush_lines(&l);
}

/* ---- one ---- */

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

/* What is said: text, or --parts; either may be "-". */
static int read_content(struct cli *c, struct bough_entry_new *e)
{
    struct bough_str json, *parts;
    int rc = CLI_DONE;

    if (cli_has(c, "parts") && c->argc > 1)
        return cli_usage(c, "text and --parts exclude each other");
    if (cli_has(c, "parts")) {
        rc = cli_input(c, cli_value(c, "parts"), &json);
        if (!rc && bough_parts_split(c->a, json, &parts, &e->nparts, &c->err))
            rc = cli_failed(c);
        e->parts = rc ? NULL : parts;
    } else if (c->argc > 1) {
        rc = cli_text(c, c->argv[1], &e->text);
    } else if (e->kind == BOUGH_ENTRY_MESSAGE) {
        return cli_usage(c, "say what: text, - for stdin, --parts or --jsonl");
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
    struct bough_append in = { .entries = &e,
                               .n = 1,
                               .at_root = cli_has(c, "root"),
                               .keep_head = cli_has(c, "keep-head"),
                               .key = cli_value(c, "key") };
    struct bough_appended out;
    bool called = false;
    int rc = read_content(c, &e);

    if (role)
        e.role = bough_role_parse(role);
    if (!rc && role && e.role == BOUGH_ROLE_OTHER)
        return cli_usage(c, "--role is system, user, assistant, tool, bash or custom");
    if (!rc)
        rc = cli_when(c, "time", &e.time);
    if (!rc)
        rc = read_call(c, &call, &called);
    if (!rc && cli_has(c, "at"))
        rc = cli_entry(c, session, cli_value(c, "at"), &in.at);
    if (rc)
        return rc;
    in.call = called ? &call : NULL;
    e.by_call = e.has_usage = called;
    e.usage = call.used;
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
    { "role", 0, "ROLE", "user (the usual), assistant, system, tool, bash, custom" },
    { "parts", 0, "JSON", "an array of parts instead of text; - reads stdin" },
    { "jsonl", 0, NULL, "many entries from stdin, one JSON object a line" },
    { "at", 0, "ENTRY", "behind this entry instead of the head: a branch" },
    { "root", 0, NULL, "behind nothing: a new root" },
    { "keep-head", 0, NULL, "do not move the head" },
    { "model", 'm', "MODEL", "provider/model that answered" },
    { "input", 0, "N", "tokens it read" },
    { "output", 0, "N", "tokens it wrote" },
    { "reasoning", 0, "N", "tokens it thought" },
    { "cache-read", 0, "N", "tokens read from its cache" },
    { "cache-write", 0, "N", "tokens written to its cache" },
    { "cost", 0, "USD", "what the call cost" },
    { "kind", 0, "KIND", "another kind of entry, such as model_change" },
    { "data", 0, "JSON", "its data" },
    { "time", 0, "TIME", "when it was said (now)" },
    { "id", 0, "ID", "the id it comes with" },
    { "key", 0, "KEY", "idempotency key: the same again is not stored twice" },
    { "json", 0, NULL, "the outcome as JSON" },
    { 0 },
};

const struct cli_cmd cmd_append = {
    .name = "append",
    .args = "<session> [text]",
    .summary = "append a message to a session",
    .options = options,
    .run = run,
    .about =
        "Prints the id of the entry, once it is on disk. With --jsonl each line is an object with\n"
        "role, text (or parts, or content) and perhaps kind, id, time, finish, data, metadata.",
    .columns = "id",
    .fields = "ids, call, head, no, replayed",
    .examples =
        "bough append . \"Fix it.\"\n"
        "git diff | bough append cache-bug -  # from stdin\n"
        "bough append . --role assistant -m anthropic/claude-sonnet-4-5 --input 1200 --output 300 "
        "--cost 0.0081 \"Done.\"",
};
