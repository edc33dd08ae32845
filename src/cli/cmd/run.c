/* bough run: give a model tools and a task. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/runs/find.h"

enum { SERVERS_MOST = 16 };

static size_t split(struct bough_arena *a, const char *text, const char **out)
{
    size_t n = 0;

    while (text && *text && n < SERVERS_MOST) {
        size_t len = strcspn(text, ", ");

        if (len)
            out[n++] = arena_strndup(a, text, len);
        text += len;
        text += *text != '\0';
    }
    return n;
}

/* The folder to work in, resolved. */
static int find_folder(struct cli *c, const char **out)
{
    const char *text = cli_value(c, "directory");
    char *real = realpath(text ? text : ".", NULL);

    if (!real)
        return cli_usage(c, "%s: %s", text ? text : ".", strerror(errno));
    *out = arena_strdup(c->a, real);
    free(real);
    return CLI_DONE;
}

static int find_session(struct cli *c, const char *folder, const char *model, const char **out)
{
    struct bough_session_create_options in = { .project = folder, .model_name = model };
    struct bough_session *s;

    if (cli_has(c, "session")) {
        int rc = cli_session(c, cli_value(c, "session"), &s);

        if (rc)
            return rc;
    } else if (bough_session_create(c->s, c->a, &in, &s, &c->err)) {
        return cli_failed(c);
    }
    *out = s->id;
    return CLI_DONE;
}

/* A new session in which nothing was said is not kept. */
static void drop_empty(struct cli *c, const char *id)
{
    struct bough_session *s;

    if (!cli_has(c, "session") && !bough_session_get(c->s, c->a, id, &s, NULL) && !s->messages)
        (void)!bough_session_purge(c->s, c->a, id, NULL, NULL);
}

static int read_options(struct cli *c, struct run_begin_options *in, enum follow_approve *approve)
{
    const char **servers = arena_array(c->a, SERVERS_MOST, sizeof *servers);
    int rc = cli_text(c, c->argv[0], &in->text);

    if (!rc && !in->text[strspn(in->text, " \t\n")])
        return cli_usage(c, "the prompt is empty");
    if (!rc && !follow_approve_parse(cli_value(c, "approve"), approve))
        return cli_usage(c, "--approve is ask, allow or deny");
    if (!rc)
        rc = cli_number(c, "max-turns", 0, &in->limits.turns);
    if (!rc)
        rc = cli_money(c, "budget", &in->limits.cost);
    if (!rc)
        rc = find_folder(c, &in->workspace);
    in->model = cli_value(c, "model");
    in->adapter = cli_value(c, "agent");
    in->runtime = in->adapter ? BOUGH_RUNTIME_EXTERNAL : BOUGH_RUNTIME_AGENT;
    in->nservers = split(c->a, cli_value(c, "tools"), servers);
    in->servers = servers;
    if (!rc && in->adapter && in->model)
        return cli_usage(c, "--agent and --model cannot be used together");
    if (!rc && !in->adapter && !in->model && !cli_has(c, "session"))
        return cli_usage(c, "a new session needs --model MODEL or --agent AGENT");
    return rc;
}

static int run(struct cli *c)
{
    enum follow_approve approve = FOLLOW_ASK;
    struct run_begin_options in = { 0 };
    int rc = read_options(c, &in, &approve);

    if (!rc)
        rc = cli_open(c, CLI_CREATE);
    if (!rc)
        rc = find_session(c, in.workspace, in.model, &in.session);
    if (rc)
        return rc;
    rc = start_and_follow(c, &in, approve);
    drop_empty(c, in.session);
    return rc;
}

static const struct cli_option options[] = {
    { "directory", 'C', "DIR", "the folder to work in (default: this one)" },
    { "model", 'm', "MODEL", "the model, or provider/model (default: that of the session)" },
    { "agent", 0, "AGENT", "let an external agent do it, see `bough agents`" },
    { "tools", 't', "NAMES", "tool servers, separated by commas (default: the usual ones)" },
    { "session", 's', "SESSION", "go on with this session (default: a new one)" },
    { "approve", 0, "WORD", "what happens when a tool needs approval",
      ONE_OF("ask", "allow", "deny") },
    { "max-turns", 0, "N", "model calls at most (default: 32)" },
    { "budget", 0, "USD", "what it may cost" },
    { "json", 0, NULL, "JSON Lines: each entry and approval, then the run" },
    { 0 },
};

const struct cli_cmd cmd_run = {
    .name = "run",
    .args = "<prompt>",
    .summary = "let a model or an agent do a task with tools",
    .options = options,
    .run = run,
    .about =
        "Sends the prompt (- for stdin) to a model that may use tools in the folder, and shows "
        "what it does. Tools that only read are used at once; for others it asks: y yes, s yes "
        "in this session, a always, n no (with a reason that the model reads), v shows the whole "
        "call, q stops. Without a terminal what would be asked is rejected; --approve allow or "
        "rules in the configuration change that. Ctrl-C cancels the run and keeps what came; a "
        "second one ends the program at once.\n\nThe exit code is 0 when the run completed, 1 when "
        "it failed, 130 when it was cancelled. No server is needed; one over the same store sees "
        "the run and can approve and cancel it.",
    .fields = "see docs/json.md: entries, approvals, and the run at the end",
    .examples = "bough run -m claude-sonnet-4-5 \"Why does the build fail?\"\n"
                "bough run -C ~/shop -s . --approve allow \"Fix it.\"  # in the latest session",
};
