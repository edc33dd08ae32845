/* bough mcp: serves the store to an agent over standard input and output, and adds that to the
 * agent's settings. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/sources/mcp_setup.h"
#include "mcp/server/mcp.h"
#include "run/api/routes.h"

/* Take standard output for the protocol: whatever else is printed goes to standard error (D23). */
static int take_output(void)
{
    int out;

    fflush(stdout);
    out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        close(out);
        out = -1;
    }
    return out;
}

static int serve(struct cli *c, int out)
{
    static const struct http_route *const more[] = { run_turn_routes, run_routes,
                                                     run_approval_routes, NULL };
    struct auth *auth = auth_create(c->s, NULL, NULL);
    struct api *api = api_create(&(struct api_config){ .store = c->s, .auth = auth, .more = more });
    struct auth_who who = { .name = "owner", .project = "", .auth = auth };
    bool sent;

    /* D22: nothing deletes, and nothing concerns the store as a whole. */
    who.scopes = AUTH_READ | AUTH_EXPORT | AUTH_MCP;
    if (cli_has(c, "write"))
        who.scopes |= AUTH_APPEND | AUTH_FORK | AUTH_GATEWAY | AUTH_RUN | AUTH_APPROVE;
    sent = mcp_stdio(
        &(struct mcp_stdio_config){ .api = api, .who = &who, .in = STDIN_FILENO, .out = out });
    api_destroy(api);
    auth_destroy(auth);
    if (!sent)
        fputs("bough mcp: the client does not read any more\n", stderr);
    return sent ? CLI_DONE : CLI_FAILED;
}

/* ---- install ---- */

/* The arguments that an agent starts bough with. A store that was named is named there, too. */
static const char *const *arguments(struct cli *c)
{
    const char **args = arena_array(c->a, 5, sizeof *args), *store = cli_value(c, "store");
    size_t n = 0;

    if (store) {
        args[n++] = "--store";
        args[n++] = *store == '/' || strchr(store, ':')
                        ? store
                        : arena_printf(c->a, "%s/%s", cli_here(c), store);
    }
    args[n++] = "mcp";
    if (cli_has(c, "write"))
        args[n++] = "--write";
    return args;
}

/* Show what would be written, ask, and write it. */
static int install(struct cli *c)
{
    struct mcp_setup setup;
    int code = cli_no_password(c, "store");

    if (code)
        return code;
    if (mcp_setup_plan(c->a, c->argv[1], arguments(c), &setup, &c->err))
        return cli_failed(c);
    if (setup.same) {
        printf("%s has bough already.\n", setup.path);
        return CLI_DONE;
    }
    printf("%s %s:\n%s%s", setup.exists ? "In" : "In the new file", setup.path, setup.entry,
           setup.entry[strlen(setup.entry) - 1] == '\n' ? "" : "\n");
    fflush(stdout);
    code = cli_confirm(c, "Write this?");
    if (code)
        return code;
    if (mcp_setup_write(&setup, &c->err))
        return cli_failed(c);
    puts("Written. Start the agent again to use it.");
    return CLI_DONE;
}

static int run(struct cli *c)
{
    static enum log_level level = LOG_WARN;
    int out, code;

    if (c->argc && (strcmp(c->argv[0], "install") != 0 || c->argc != 2))
        return cli_usage(c, "use `bough mcp`, or `bough mcp install AGENT`");
    if (c->argc)
        return install(c);
    if (isatty(STDIN_FILENO))
        fputs("bough mcp: an agent starts this; it reads messages of MCP from standard input\n",
              stderr);
    out = take_output();
    if (out < 0) {
        perror("bough mcp: cannot use standard output");
        return CLI_FAILED;
    }
    log_set_sink(log_stderr, &level);
    code = cli_open(c, cli_has(c, "write") ? CLI_CREATE : CLI_INDEX);
    if (!code)
        code = serve(c, out);
    close(out);
    return code;
}

static const struct cli_option options[] = {
    { "write", 'w', NULL, "also offer tools that write: append, fork, remember, todos" },
    { "yes", 'y', NULL, "install: do not ask" },
    { 0 },
};

const struct cli_cmd cmd_mcp = {
    .name = "mcp",
    .args = "[install] [agent]",
    .summary = "serve sessions to an agent as MCP tools, over standard input and output",
    .options = options,
    .run = run,
    .arg_words = (const char *const[]){ "install", NULL },
    .about = "An agent such as Claude Code, Codex, Cursor, opencode or Gemini CLI starts this and "
             "gets tools to list, read and search sessions, to get contexts, trees and costs; "
             "sessions are resources too, and there are prompts to summarize one and to go on "
             "from one. docs/mcp.md says how to add it to each of them. It speaks the Model "
             "Context Protocol of 2026-07-28, 2025-11-25 and before.\n\nIt only reads, unless "
             "--write is given; nothing deletes. Results have at most 64 KB, with a cursor for "
             "the rest. It ends with its standard input, or with SIGTERM.\n\n`bough mcp install` "
             "with claude, codex, cursor, gemini or opencode shows what it would write into the "
             "settings of that agent, asks, and writes it. Nothing else in the file changes.",
    .examples = "bough mcp install claude  # asks before it writes\n"
                "claude mcp add bough -- bough mcp  # the same by Claude Code\n"
                "bough --store team.db mcp --write\n",
};
