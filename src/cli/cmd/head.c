/* bough head: where a session is now; put it somewhere else. */
#include <inttypes.h>

#include "api/forms.h"
#include "cli/cli.h"
#include "cli/render.h"

static int put_head(struct cli *c, const char *session)
{
    struct bough_entry *e = NULL;
    struct bough_head at;
    struct json_writer *w;

    if (bough_head_get(c->s, c->a, session, &at, &e, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        w = out_json(&c->out);
        jw_obj(w);
        form_head(w, "head", at);
        jw_kv_cstr(w, "id", e ? e->id : NULL);
        jw_end_obj(w);
        out_json_end(&c->out);
    } else if (!e) {
        puts(c->out.tty ? "The head is at nothing; the next append starts a new root." : "");
    } else if (c->out.tty) {
        printf("#%" PRId64 ".%" PRId64 "  %s  ", at.branch, at.depth, e->id);
        print_line(stdout, render_line(c->a, e));
        putchar('\n');
    } else {
        printf("#%" PRId64 ".%" PRId64 "\t%s\n", at.branch, at.depth, e->id);
    }
    return CLI_DONE;
}

static int run(struct cli *c)
{
    bool none = cli_has(c, "none"), move = none || c->argc > 1;
    struct bough_session *s;
    const char *id = NULL;
    int rc;

    if (none && c->argc > 1)
        return cli_usage(c, "an entry and --none exclude each other");
    rc = cli_open(c, move ? CLI_WRITE : CLI_READ);
    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc && c->argc > 1)
        rc = cli_entry(c, s->id, c->argv[1], &id);
    if (rc)
        return rc;
    if ((none && bough_head_reset(c->s, s->id, &c->err)) ||
        (id && bough_head_move(c->s, s->id, id, &c->err)))
        return cli_failed(c);
    return put_head(c, s->id);
}

static const struct cli_option options[] = {
    { "none", 0, NULL, "to nothing: the next append starts a new root" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_head = {
    .name = "head",
    .args = "<session> [entry]",
    .summary = "show where a session is, or put it on another entry",
    .options = options,
    .run = run,
    .about =
        "Nothing is removed: what came after the entry stays on its branch, and the next append\n"
        "opens another one.",
    .columns = "#branch.depth, id",
    .fields = "head, id",
    .examples = "bough head . @4  # go back to the fourth message",
};
