/* bough help: everything it prints comes from the commands' own tables. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/manual.h"
#include "cli/print.h"

enum { WIDTH = 79 };

static void put_options(const char *title, const struct cli_option *o)
{
    if (!o || !o->name)
        return;
    printf("\n%s:\n", title);
    for (; o->name; o++) {
        char left[64], letter[8] = "    ";

        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        printf("  %-24s %s\n", left, o->about);
    }
}

static void help_all(void)
{
    bool colour = print_colour(stdout);

    puts("bough keeps the conversations of AI agents.\n\n"
         "Usage: bough [--store URL] COMMAND [OPTIONS] [ARGUMENTS]\n\n"
         "Commands:");
    for (size_t i = 0; cli_commands[i]; i++) {
        print_style(stdout, colour, PRINT_BOLD);
        printf("  %-16s", cli_commands[i]->name);
        print_style(stdout, colour, PRINT_PLAIN);
        printf(" %s\n", cli_commands[i]->summary);
    }
    put_options("Options", cli_common);
    puts("\nWithout --store: $BOUGH_STORE, `bough config store`, else\n"
         "$XDG_DATA_HOME/bough/bough.db (~/.local/share/bough/bough.db).\n"
         "Exit codes: 0 done, 1 failed or nothing found, 2 wrong usage.\n"
         "`bough help COMMAND` tells more about one of them.");
}

/* Wrapped; a single line end in the text is a blank, two begin a paragraph. */
static void put_more(const char *title, const char *text)
{
    size_t at = strlen(title);

    if (!text)
        return;
    printf("\n%s", title);
    while (*text) {
        size_t n = strcspn(text, " \n"), end = strspn(text + n, "\n");

        if (at && at + n >= WIDTH) {
            putchar('\n');
            at = 0;
        }
        printf("%.*s", (int)n, text);
        at += n;
        text += n;
        if (end > 1) {
            fputs("\n\n", stdout);
            at = 0;
        } else if (*text && at + 1 < WIDTH && strcspn(text + 1, " \n") + at + 1 < WIDTH) {
            putchar(' ');
            at++;
        } else if (*text) {
            putchar('\n');
            at = 0;
        }
        text += end ? end : *text == ' ';
    }
    putchar('\n');
}

static void put_examples(const char *text)
{
    if (!text)
        return;
    puts("\nExamples:");
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        printf("  %.*s\n", (int)n, text);
    }
}

static void help_one(const struct cli_cmd *cmd)
{
    printf("bough %s: %s\n\nUsage: bough %s%s%s%s\n", cmd->name, cmd->summary, cmd->name,
           cmd->options ? " [OPTIONS]" : "", cmd->args[0] ? " " : "", cmd->args);
    put_more("", cmd->about);
    put_options("Options", cmd->options);
    put_options("Options of every command", cli_common);
    put_more("Columns in a pipe: ", cmd->columns);
    put_more("Fields with --json: ", cmd->fields);
    put_examples(cmd->examples);
}

static int run(struct cli *c)
{
    const struct cli_cmd *cmd;

    if (cli_has(c, "names")) {
        for (size_t i = 0; cli_commands[i]; i++)
            puts(cli_commands[i]->name);
        return CLI_DONE;
    }
    if (cli_has(c, "manual")) {
        if (strcmp(cli_value(c, "manual"), "options") == 0)
            manual_options();
        else
            manual_commands();
        return CLI_DONE;
    }
    if (c->argc == 0) {
        help_all();
        return CLI_DONE;
    }
    cmd = cli_find(c->argv[0]);
    if (!cmd) {
        c->cmd = NULL; /* the complaint is not about help: point to the list of commands */
        return cli_usage(c, "there is no command \"%s\"", c->argv[0]);
    }
    help_one(cmd);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "names", 0, NULL, "only the names of all commands, one a line" },
    { "manual", 0, "PART", "a part of the manual for scdoc: commands or options" },
    { 0 },
};

const struct cli_cmd cmd_help = {
    .name = "help",
    .args = "[command]",
    .summary = "list the commands, or explain one",
    .options = options,
    .run = run,
};
