/* bough continue: find the latest session of a directory and show its last messages, or append to
 * it. */
#include <inttypes.h>

#include "api/kit/forms.h"
#include "cli/kit/cli.h"
#include "cli/kit/render.h"

enum { LAST = 4 };

static int put_last(struct cli *c, const struct bough_session *s)
{
    struct bough_entries_read_options how = { .messages = true, .newest = true, .limit = LAST };
    struct render r = { .o = &c->out, .a = c->a };
    struct bough_entries_read_result path;

    if (bough_entries_read(c->s, c->a, s->id, &how, &path, &c->err))
        return cli_failed(c);
    printf("#%" PRId64 " %s: ", s->number, s->slug);
    out_styled(&c->out, PRINT_BOLD, cli_title(c, s));
    fputs("\n\n", stdout);
    for (size_t i = 0; i < path.entries.n; i++)
        render_entry(&r, &path.entries.at[i], NULL);
    return CLI_DONE;
}

/* The latest session of the project; with --create a new one if there is none. */
static int find(struct cli *c, const char *project, struct bough_session **s)
{
    struct bough_session_create_options in = { .project = project };

    if (!bough_session_continue(c->s, c->a, project, s, &c->err))
        return CLI_DONE;
    if (c->err.rc != BOUGH_NOT_FOUND)
        return cli_failed(c);
    if (!cli_has(c, "create")) {
        c->err.hint = "`bough continue --create` makes one";
        return cli_failed(c);
    }
    return bough_session_create(c->s, c->a, &in, s, &c->err) ? cli_failed(c) : CLI_DONE;
}

static int run(struct cli *c)
{
    const char *project = cli_has(c, "any")       ? NULL
                          : cli_has(c, "project") ? cli_project(c)
                                                  : cli_here(c);
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_session *s;
    int rc = c->argc ? cli_text(c, c->argv[0], &e.text) : CLI_DONE;

    if (!rc)
        rc = cli_open(c, cli_has(c, "create") ? CLI_CREATE : c->argc ? CLI_WRITE : CLI_READ);
    if (rc)
        return rc;
    rc = find(c, project, &s);
    if (rc)
        return rc;
    if (c->argc) {
        if (bough_append(c->s, c->a, s->id, &in, &out, &c->err))
            return cli_failed(c);
        puts(out.ids[0]);
        return CLI_DONE;
    }
    if (c->out.json) {
        form_session(out_json(&c->out), s);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    if (c->out.tty)
        return put_last(c, s);
    puts(s->id);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "project", 'p', "DIR", "the latest session of this directory" },
    { "any", 'a', NULL, "the latest session of any directory" },
    { "create", 'c', NULL, "create a session if there is none" },
    { "json", 0, NULL, "the session as JSON" },
    { 0 },
};

const struct cli_cmd cmd_continue = {
    .name = "continue",
    .args = "[text]",
    .summary = "find the latest session of this directory; with a text, append to it",
    .options = options,
    .run = run,
    .about = "Prints its id; on a terminal, its last messages. With a text (- for stdin), appends "
             "it as a user message.",
    .columns = "id",
    .fields = "as `bough ls`",
};
