/* bough new: creates a session, and the store if it does not exist. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"

/* Parse "provider/model" or "model". */
static void read_model(struct cli *c, struct bough_session_create_options *in)
{
    const char *model = cli_value(c, "model"), *slash = model ? strchr(model, '/') : NULL;

    if (slash)
        in->model_provider = arena_strndup(c->a, model, (size_t)(slash - model));
    in->model_name = slash ? slash + 1 : model;
}

static int run(struct cli *c)
{
    struct bough_session_create_options in = {
        .id = cli_value(c, "id"),
        .title = c->argc ? c->argv[0] : NULL,
        .slug = cli_value(c, "slug"),
        .project = cli_has(c, "project") ? cli_project(c) : cli_here(c),
        .account = cli_value(c, "account"),
        .parent_tool_use_id = cli_value(c, "tool-use"),
    };
    struct bough_session *s, *parent;
    int rc = CLI_DONE;

    read_model(c, &in);
    if (cli_has(c, "system"))
        rc = cli_text(c, cli_value(c, "system"), &in.system_prompt);
    if (!rc)
        rc = cli_open(c, CLI_CREATE);
    if (!rc && cli_has(c, "parent")) {
        rc = cli_session(c, cli_value(c, "parent"), &parent);
        in.kind = BOUGH_SUBAGENT;
        in.parent = rc ? NULL : parent->id;
    }
    if (rc)
        return rc;
    if (bough_session_create(c->s, c->a, &in, &s, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        form_session(out_json(&c->out), s);
        out_json_end(&c->out);
    } else if (c->out.tty) {
        cli_say(c, "Created #%" PRId64 " %s (%s)", s->number, s->slug, s->id);
    } else {
        puts(s->id);
    }
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "project", 'p', "DIR", "project directory (default: the current one); \"\" for none" },
    { "account", 0, "NAME", "account that pays for its calls" },
    { "model", 'm', "MODEL", "provider/model, or only the model" },
    { "system", 0, "TEXT", "system prompt; - reads stdin" },
    { "slug", 0, "SLUG", "slug of the session" },
    { "id", 0, "ID", "id of the session" },
    { "parent", 0, "SESSION", "create a subagent of this session" },
    { "tool-use", 0, "ID", "with --parent: id of the tool call that started it" },
    { "json", 0, NULL, "the session as JSON" },
    { 0 },
};

const struct cli_cmd cmd_new = {
    .name = "new",
    .args = "[title]",
    .summary = "create a session, and the store if there is none",
    .options = options,
    .run = run,
    .about = "Prints the id of the session.",
    .columns = "id",
    .fields = "as `bough ls`",
    .examples = "bough new \"Why is the cache stale?\" --model anthropic/claude-sonnet-4-5",
};
