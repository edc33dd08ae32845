/* bough head: print the head of a session, or move it. */
#include <inttypes.h>

#include "api/kit/forms.h"
#include "cli/kit/cli.h"
#include "cli/kit/render.h"

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
        puts(c->out.tty ? "The head is not on any entry; the next append starts a new root." : "");
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
        return cli_usage(c, "an entry and --none cannot be used together");
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
    { "none", 0, NULL, "reset the head: the next append starts a new root" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_head = {
    .name = "head",
    .args = "<session> [entry]",
    .summary = "show the head of a session, or move it to another entry",
    .options = options,
    .run = run,
    .about = "Nothing is removed: later entries stay on their branch, and the next append starts a "
             "new branch.",
    .columns = "#branch.depth, id",
    .fields = "head, id",
    .examples = "bough head . @4  # go back to the fourth message",
};
