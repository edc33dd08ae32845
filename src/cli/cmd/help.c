/* bough help: prints help from the commands' tables. */
#include <stdio.h>
#include <string.h>

#include "cli/kit/manual.h"
#include "cli/term/print.h"

enum { WIDTH = 79, INDENT = 27 };

/* The values of an option, below its description. */
static void put_words(const char *(*words)(size_t i))
{
    size_t at = 0;

    for (size_t i = 0; words && words(i); i++) {
        bool last = !words(i + 1);
        size_t n = strlen(words(i)) + !last;

        if (!at || at + 1 + n > WIDTH)
            at = (size_t)printf("%s%*s", at ? "\n" : "", INDENT, "") - (at ? 1 : 0);
        else
            at += (size_t)printf(" ");
        at += (size_t)printf("%s%s", words(i), last ? "" : ",");
    }
    if (at)
        putchar('\n');
}

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
        printf("  %-24s %s%s\n", left, o->about, o->words ? ":" : "");
        put_words(o->words);
    }
}

static void help_all(const struct cli *c)
{
    bool colour = print_colour(stdout);

    puts("bough stores the conversations of AI agents.\n\nUsage: bough [--store URL] COMMAND "
         "[OPTIONS] [ARGUMENTS]\n\nCommands:");
    for (size_t i = 0; c->commands[i]; i++) {
        print_style(stdout, colour, PRINT_BOLD);
        printf("  %-16s", c->commands[i]->name);
        print_style(stdout, colour, PRINT_PLAIN);
        printf(" %s\n", c->commands[i]->summary);
    }
    put_options("Options", cli_common);
    puts("\nThe default store is $BOUGH_STORE, else `bough config store`, "
         "else\n$XDG_DATA_HOME/bough/bough.db (~/.local/share/bough/bough.db).\nExit codes: 0 "
         "success, 1 failure or nothing found, 2 usage error.\nSee `bough help COMMAND` for the "
         "options of a command.");
}

/* Wrap text. A single newline counts as a blank, two begin a paragraph. */
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

static void help_one(const struct cli_cmd *cmd, struct bough_arena *a)
{
    printf("bough %s: %s\n\nUsage: bough %s%s%s%s\n", cmd->name, cmd->summary, cmd->name,
           cmd->options ? " [OPTIONS]" : "", cmd->args[0] ? " " : "", cmd->args);
    put_more("", cmd->about);
    if (cmd->more)
        put_more("", cmd->more(a));
    put_options("Options", cmd->options);
    put_options("Common options", cli_common);
    put_more("Columns in a pipe: ", cmd->columns);
    put_more("Fields with --json: ", cmd->fields);
    put_examples(cmd->examples);
}

static int run(struct cli *c)
{
    const struct cli_cmd *cmd;

    if (cli_has(c, "names")) {
        for (size_t i = 0; c->commands[i]; i++)
            puts(c->commands[i]->name);
        return CLI_DONE;
    }
    if (cli_has(c, "manual")) {
        if (strcmp(cli_value(c, "manual"), "options") == 0)
            manual_options();
        else
            manual_commands(c);
        return CLI_DONE;
    }
    if (c->argc == 0) {
        help_all(c);
        return CLI_DONE;
    }
    cmd = cli_find(c, c->argv[0]);
    if (!cmd) {
        c->cmd = NULL; /* the message must point to the list of commands, not to help's own page */
        return cli_usage(c, "unknown command \"%s\"", c->argv[0]);
    }
    help_one(cmd, c->a);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "names", 0, NULL, "print only the names of all commands, one per line" },
    { "manual", 0, "PART", "print a part of the manual for scdoc: commands or options",
      ONE_OF("commands", "options") },
    { 0 },
};

const struct cli_cmd cmd_help = {
    .name = "help",
    .args = "[command]",
    .summary = "list the commands, or show help for one",
    .options = options,
    .run = run,
};
