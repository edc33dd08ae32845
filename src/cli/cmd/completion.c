/* bough completion: completion scripts, generated from the table of commands. */
#include <stdio.h>
#include <string.h>

#include "cli/kit/cli.h"

/* True if the first argument is a session: its slug is then completed. */
static bool wants_session(const struct cli_cmd *cmd)
{
    return strncmp(cmd->args, "<session>", 9) == 0 || strncmp(cmd->args, "[session]", 9) == 0 ||
           strncmp(cmd->args, "<one>", 5) == 0;
}

static bool wants_file(const struct cli_cmd *cmd)
{
    return strstr(cmd->args, "file") != NULL;
}

static void put_flags(const struct cli_option *o)
{
    for (; o && o->name; o++)
        printf(" --%s", o->name);
}

static void put_names(const struct cli *c)
{
    for (size_t i = 0; c->commands[i]; i++)
        printf("%s%s", i ? " " : "", c->commands[i]->name);
}

static void put_words(const struct cli_option *o)
{
    for (size_t i = 0; cli_word(o, i); i++)
        printf("%s%s", i ? " " : "", cli_word(o, i));
}

/* The values of the first argument, between two texts. */
static void put_arguments(const struct cli_cmd *cmd, const char *before, const char *after)
{
    fputs(before, stdout);
    for (size_t i = 0; cmd->arg_words[i]; i++)
        printf("%s%s", i ? " " : "", cmd->arg_words[i]);
    fputs(after, stdout);
}

/* The values of options, where the previous word is such an option. */
static void bash_values(const struct cli_cmd *cmd)
{
    for (const struct cli_option *o = cmd->options; o && o->name; o++) {
        if (!cli_word(o, 0))
            continue;
        printf("    %s/--%s", cmd->name, o->name);
        if (o->letter)
            printf(" | %s/-%c", cmd->name, o->letter);
        fputs(") words='", stdout);
        put_words(o);
        puts("' ;;");
    }
}

static void bash(const struct cli *c)
{
    puts("# bash completion for bough; load it with: source <(bough completion bash)\n"
         "_bough() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} cmd= i\n"
         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "        case ${COMP_WORDS[i]} in\n"
         "        --store) ((i++)) ;;\n"
         "        -*) ;;\n"
         "        *) cmd=${COMP_WORDS[i]}; break ;;\n"
         "        esac\n"
         "    done\n"
         "    local flags= words=\n"
         "    case $cmd in");
    fputs("    '') words='", stdout);
    put_names(c);
    puts("' ;;");
    for (size_t i = 0; c->commands[i]; i++) {
        const struct cli_cmd *cmd = c->commands[i];

        printf("    %s) flags='", cmd->name);
        put_flags(cmd->options);
        fputs("'", stdout);
        if (wants_session(cmd))
            fputs("; words=$(bough ls --slugs 2>/dev/null)", stdout);
        else if (cmd == &cmd_help)
            fputs("; words=$(bough help --names)", stdout);
        else if (cmd->arg_words)
            put_arguments(cmd, "; words='", "'");
        puts(" ;;");
    }
    puts("    esac\n    case $cmd/${COMP_WORDS[COMP_CWORD-1]} in");
    for (size_t i = 0; c->commands[i]; i++)
        bash_values(c->commands[i]);
    fputs("    esac\n    flags=\"$flags", stdout);
    put_flags(cli_common);
    puts("\"\n"
         "    if [[ $cur == -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$cur\")\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "    fi\n"
         "}\n"
         "complete -o default -F _bough bough");
}

/* For zsh, inside single quotes; escapes what _arguments and _describe treat specially. */
static void put_quoted(const char *s)
{
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", stdout);
        else if (*s == '[' || *s == ']' || *s == ':')
            printf("\\%c", *s);
        else
            putchar(*s);
    }
}

static void zsh_options(const struct cli_option *o)
{
    for (; o && o->name; o++) {
        printf(" \\\n            '--%s[", o->name);
        put_quoted(o->about);
        putchar(']');
        if (o->value)
            printf(":%s:%s", o->value, strcmp(o->value, "DIR") == 0 ? "_files -/" : "");
        if (cli_word(o, 0)) {
            putchar('(');
            put_words(o);
            putchar(')');
        }
        putchar('\'');
    }
}

static void zsh(const struct cli *c)
{
    puts("#compdef bough\n"
         "# zsh completion for bough; load it with: source <(bough completion zsh)\n"
         "_bough_sessions() { local -a s; s=(${(f)\"$(bough ls --slugs 2>/dev/null)\"}); "
         "compadd -a s }\n"
         "_bough() {\n"
         "    local line state\n"
         "    _arguments -C '--store[store to use]:URL:_files' '1:command:->command' "
         "'*::arg:->args'\n"
         "    case $state in\n"
         "    command)\n"
         "        local -a commands=(");
    for (size_t i = 0; c->commands[i]; i++) {
        printf("            '%s:", c->commands[i]->name);
        put_quoted(c->commands[i]->summary);
        puts("'");
    }
    puts("        )\n"
         "        _describe command commands ;;\n"
         "    args)\n"
         "        case $line[1] in");
    for (size_t i = 0; c->commands[i]; i++) {
        const struct cli_cmd *cmd = c->commands[i];

        printf("        %s) _arguments", cmd->name);
        zsh_options(cmd->options);
        if (wants_session(cmd))
            fputs(" \\\n            '*:session:_bough_sessions'", stdout);
        else if (cmd->arg_words)
            put_arguments(cmd, " \\\n            '1:what:(", ")'");
        else
            fputs(wants_file(cmd) ? " \\\n            '*:file:_files'" : " '*::'", stdout);
        puts(" ;;");
    }
    puts("        esac ;;\n"
         "    esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _bough ]; then _bough \"$@\"; else compdef _bough bough; fi");
}

static void fish_quoted(const char *s)
{
    putchar('\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            putchar('\\');
        putchar(*s);
    }
    puts("'");
}

static void fish_command(const struct cli_cmd *cmd)
{
    printf("complete -c bough -n __fish_use_subcommand -a %s -d ", cmd->name);
    fish_quoted(cmd->summary);
    for (const struct cli_option *o = cmd->options; o && o->name; o++) {
        printf("complete -c bough -n '__fish_seen_subcommand_from %s' -l %s", cmd->name, o->name);
        if (o->letter)
            printf(" -s %c", o->letter);
        if (cli_word(o, 0)) {
            fputs(" -x -a '", stdout);
            put_words(o);
            putchar('\'');
        }
        fputs(o->value && !cli_word(o, 0) ? " -r -d " : " -d ", stdout);
        fish_quoted(o->about);
    }
    if (wants_session(cmd))
        printf("complete -c bough -n '__fish_seen_subcommand_from %s' "
               "-a '(bough ls --slugs 2>/dev/null)'\n",
               cmd->name);
    if (cmd->arg_words) {
        printf("complete -c bough -n '__fish_seen_subcommand_from %s'", cmd->name);
        put_arguments(cmd, " -a '", "'\n");
    }
    if (wants_file(cmd))
        printf("complete -c bough -n '__fish_seen_subcommand_from %s' -F\n", cmd->name);
}

static void fish(const struct cli *c)
{
    puts("# fish completion for bough; load it with: bough completion fish | source\n"
         "complete -c bough -f");
    for (size_t i = 0; c->commands[i]; i++)
        fish_command(c->commands[i]);
}

static int run(struct cli *c)
{
    const char *shell = c->argv[0];

    if (strcmp(shell, "bash") == 0)
        bash(c);
    else if (strcmp(shell, "zsh") == 0)
        zsh(c);
    else if (strcmp(shell, "fish") == 0)
        fish(c);
    else
        return cli_usage(c, "no completion for %s; use bash, zsh or fish", shell);
    return CLI_DONE;
}

const struct cli_cmd cmd_completion = {
    .name = "completion",
    .args = "<shell>",
    .arg_words = (const char *const[]){ "bash", "zsh", "fish", NULL },
    .summary = "print a completion script for bash, zsh or fish",
    .run = run,
    .examples = "source <(bough completion bash)  # in ~/.bashrc\n"
                "bough completion fish > ~/.config/fish/completions/bough.fish",
};
