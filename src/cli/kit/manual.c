/* Prints the commands as sections of bough(1), in scdoc's markup, from their tables. */
#include "cli/kit/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void put(const char *s)
{
    for (; *s; s++) {
        if (strchr("\\*_~#`[]<>|", *s))
            putchar('\\');
        putchar(*s);
    }
}

static void put_options(const struct cli_option *o)
{
    for (; o && o->name; o++) {
        putchar('*');
        if (o->letter)
            printf("-%c*, *", o->letter);
        printf("--%s*", o->name);
        if (o->value)
            printf(" _%s_", o->value);
        fputs("\n\t", stdout);
        putchar(toupper((unsigned char)o->about[0]));
        put(o->about + 1);
        for (size_t i = 0; o->words && o->words(i); i++) {
            fputs(i ? ", " : ": ", stdout);
            put(o->words(i));
        }
        puts(".\n");
    }
}

static void put_paragraph(const char *before, const char *s, const char *after)
{
    if (!s)
        return;
    fputs(before, stdout);
    put(s);
    printf("%s\n\n", after);
}

static void put_command(const struct cli_cmd *cmd, struct bough_arena *a)
{
    /* scdoc does not unescape titles. */
    printf("## bough %s%s%s\n\n", cmd->name, cmd->args[0] ? " " : "", cmd->args);
    putchar(toupper((unsigned char)cmd->summary[0]));
    put(cmd->summary + 1);
    fputs(".\n\n", stdout);
    put_paragraph("", cmd->about, "");
    if (cmd->more)
        put_paragraph("", cmd->more(a), "");
    put_options(cmd->options);
    put_paragraph("Columns in a pipe: ", cmd->columns, ".");
    put_paragraph("Fields with *--json*: ", cmd->fields, ".");
    if (!cmd->examples)
        return;
    puts("```");
    for (const char *s = cmd->examples; *s; s++) {
        if (*s == '\\')
            putchar('\\');
        putchar(*s);
    }
    puts("\n```\n");
}

void manual_commands(const struct cli *c)
{
    for (size_t i = 0; c->commands[i]; i++)
        put_command(c->commands[i], c->a);
}

void manual_options(void)
{
    put_options(cli_common);
}
