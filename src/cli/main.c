/* Entry point of the bough command: finds the command in the table, parses its options and
 * runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/near.h"
#include "child/child.h"
#include "cli/commands.h"
#include "tools/builtin/confine.h"

/* A store opened as descriptor 1 would be overwritten by our output: keep 0 to 2 in use. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        if (open("/dev/null", O_RDWR) != fd) /* open() returns the lowest free descriptor */
            abort();
    }
}

/* What other programs call our commands. */
static const struct {
    const char *word, *name;
} synonyms[] = {
    { "list", "ls" },      { "sessions", "ls" },     { "delete", "rm" },
    { "remove", "rm" },    { "del", "rm" },          { "undelete", "restore" },
    { "init", "new" },     { "create", "new" },      { "start", "new" },
    { "add", "append" },   { "send", "append" },     { "say", "append" },
    { "cat", "show" },     { "view", "show" },       { "get", "show" },
    { "open", "show" },    { "print", "show" },      { "find", "search" },
    { "grep", "search" },  { "history", "log" },     { "changes", "log" },
    { "mv", "rename" },    { "title", "rename" },    { "copy", "fork" },
    { "cp", "fork" },      { "checkout", "head" },   { "reset", "head" },
    { "usage", "cost" },   { "spend", "cost" },      { "check", "fsck" },
    { "verify", "fsck" },  { "repair", "fsck" },     { "status", "doctor" },
    { "info", "stats" },   { "settings", "config" }, { "server", "serve" },
    { "web", "serve" },    { "load", "import" },     { "sync", "import" },
    { "dump", "export" },  { "save", "backup" },     { "prune", "purge" },
    { "tokens", "token" }, { "todos", "todo" },      { "memories", "memory" },
    { "labels", "label" }, { "compare", "diff" },    { "tag", "label" },
};

static int no_such_command(const struct cli *c, const char *name)
{
    struct near n = near_begin(name);

    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].word, name) == 0)
            return cli_usage(c, "unknown command \"%s\"; did you mean \"%s\"?", name,
                             synonyms[i].name);
    for (size_t i = 0; c->commands[i]; i++)
        near_try(&n, c->commands[i]->name);
    if (near_best(&n))
        return cli_usage(c, "unknown command \"%s\"; did you mean \"%s\"?", name, near_best(&n));
    return cli_usage(c, "unknown command \"%s\"", name);
}

/* `bough` alone: what it is, and the commands to begin with. */
static int overview(const struct cli *c)
{
    static const char *const first[] = { "import", "ls",   "show",  "search", "continue",
                                         "fork",   "cost", "serve", "demo" };

    puts("bough stores the conversations of AI agents.\n\nTo begin with:");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        printf("  bough %-10s %s\n", first[i], cli_find(c, first[i])->summary);
    puts("\n`bough help` lists all commands, `bough help COMMAND` shows one.");
    return CLI_DONE;
}

/* `bough --help` is `bough help`, `bough ls --help` is `bough help ls`; --version likewise. */
static int run_instead(struct cli *c)
{
    static char *none[] = { NULL };
    static char *one[2];
    const struct cli_cmd *about = c->cmd;

    c->cmd = cli_has(c, "help") ? &cmd_help : &cmd_version;
    c->n_given = 0;
    c->argc = 0;
    c->argv = none;
    if (about && c->cmd == &cmd_help) {
        one[0] = (char *)about->name;
        c->argc = 1;
        c->argv = one;
    }
    return c->cmd->run(c);
}

/* Options override the environment, which overrides the file. */
static int start_output(struct cli *c)
{
    const char *color = cli_value(c, "color");

    if (!color)
        color = cli_setting(c, "color");
    if (color && strcmp(color, "auto") != 0 && strcmp(color, "always") != 0 &&
        strcmp(color, "never") != 0)
        return cli_usage(c, "the setting color must be auto, always or never");
    out_init(&c->out, color, cli_has(c, "json"));
    return CLI_DONE;
}

static int run(struct cli *c, int argc, char **argv)
{
    const char *name;
    int rc;

    rc = cli_parse(c, argc, argv);
    if (rc)
        return rc;
    if (cli_has(c, "help") || cli_has(c, "version"))
        return run_instead(c);
    if (c->argc == 0)
        return overview(c);

    name = c->argv[0];
    c->cmd = cli_find(c, name);
    if (!c->cmd)
        return no_such_command(c, name);
    rc = cli_parse(c, c->argc, c->argv);
    if (rc)
        return rc;
    if (cli_has(c, "help") || cli_has(c, "version"))
        return run_instead(c);
    rc = start_output(c);
    return rc ? rc : c->cmd->run(c);
}

int main(int argc, char **argv)
{
    static struct cli c;
    int rc;

    child_keeper(argc, argv);
    confine_main(argc, argv);
    hold_standard_files();
    c.commands = cli_commands;
    c.a = bough_arena_create();
    rc = run(&c, argc, argv);
    bough_store_close(&c.s);
    /* A write error on stdout is a failure, even if the command succeeded. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "bough: cannot write the output: %s\n", strerror(errno));
        return rc ? rc : CLI_FAILED;
    }
    out_pager_end();
    out_finish(&c.out);
    bough_arena_destroy(c.a);
    return rc;
}
