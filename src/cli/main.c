/* Entry point of the bough command: finds the command in the table, parses its options and
 * runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"

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

/* Levenshtein distance; SIZE_MAX when b has 32 letters or more. */
static size_t distance(const char *a, const char *b)
{
    size_t row[32], nb = strlen(b);

    if (nb >= sizeof row / sizeof *row)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

static int no_such_command(const struct cli *c, const char *name)
{
    const struct cli_cmd *near = NULL;
    size_t least = 3; /* larger distances are not suggested */

    for (size_t i = 0; c->commands[i]; i++) {
        size_t d = distance(name, c->commands[i]->name);

        if (d < least) {
            least = d;
            near = c->commands[i];
        }
    }
    if (near)
        return cli_usage(c, "unknown command \"%s\"; did you mean \"%s\"?", name, near->name);
    return cli_usage(c, "unknown command \"%s\"", name);
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
    static const char *const words[] = { "auto", "always", "never" };

    if (!color)
        color = cli_setting(c, "color");
    for (size_t i = 0; color && i < sizeof words / sizeof *words; i++) {
        if (strcmp(color, words[i]) != 0)
            continue;
        out_init(&c->out, color, cli_has(c, "json"));
        return CLI_DONE;
    }
    if (color)
        return cli_usage(c, "--color must be auto, always or never");
    out_init(&c->out, NULL, cli_has(c, "json"));
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
        return cli_usage(c, "no command given");

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
