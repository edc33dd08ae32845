/* bough completion: shell scripts made from the same table that parsing uses. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* Does the command take sessions? Then their slugs are offered. */
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

static void put_names(void)
{
    for (size_t i = 0; cli_commands[i]; i++)
        printf("%s%s", i ? " " : "", cli_commands[i]->name);
}

static void bash(void)
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
    put_names();
    puts("' ;;");
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_cmd *cmd = cli_commands[i];

        printf("    %s) flags='", cmd->name);
        put_flags(cmd->options);
        fputs("'", stdout);
        if (wants_session(cmd))
            fputs("; words=$(bough ls --slugs 2>/dev/null)", stdout);
        else if (cmd == &cmd_help)
            fputs("; words=$(bough help --names)", stdout);
        puts(" ;;");
    }
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

/* Inside single quotes of zsh and fish. */
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
        printf("]%s%s%s'", o->value ? ":" : "", o->value ? o->value : "",
               !o->value                      ? ""
               : strcmp(o->value, "DIR") == 0 ? ":_files -/"
                                              : ":");
    }
}

static void zsh(void)
{
    puts("#compdef bough\n"
         "# zsh completion for bough; load it with: source <(bough completion zsh)\n"
         "_bough_sessions() { local -a s; s=(${(f)\"$(bough ls --slugs 2>/dev/null)\"}); "
         "compadd -a s }\n"
         "_bough() {\n"
         "    local line state\n"
         "    _arguments -C '--store[the store to work on]:URL:_files' '1:command:->command' "
         "'*::arg:->args'\n"
         "    case $state in\n"
         "    command)\n"
         "        local -a commands=(");
    for (size_t i = 0; cli_commands[i]; i++) {
        printf("            '%s:", cli_commands[i]->name);
        put_quoted(cli_commands[i]->summary);
        puts("'");
    }
    puts("        )\n"
         "        _describe command commands ;;\n"
         "    args)\n"
         "        case $line[1] in");
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_cmd *cmd = cli_commands[i];

        printf("        %s) _arguments", cmd->name);
        zsh_options(cmd->options);
        if (wants_session(cmd))
            fputs(" \\\n            '*:session:_bough_sessions'", stdout);
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
        fputs(o->value ? " -r -d " : " -d ", stdout);
        fish_quoted(o->about);
    }
    if (wants_session(cmd))
        printf("complete -c bough -n '__fish_seen_subcommand_from %s' "
               "-a '(bough ls --slugs 2>/dev/null)'\n",
               cmd->name);
    if (wants_file(cmd))
        printf("complete -c bough -n '__fish_seen_subcommand_from %s' -F\n", cmd->name);
}

static void fish(void)
{
    puts("# fish completion for bough; load it with: bough completion fish | source\n"
         "complete -c bough -f");
    for (size_t i = 0; cli_commands[i]; i++)
        fish_command(cli_commands[i]);
}

static int run(struct cli *c)
{
    const char *shell = c->argv[0];

    if (strcmp(shell, "bash") == 0)
        bash();
    else if (strcmp(shell, "zsh") == 0)
        zsh();
    else if (strcmp(shell, "fish") == 0)
        fish();
    else
        return cli_usage(c, "there is completion for bash, zsh and fish, not for %s", shell);
    return CLI_DONE;
}

const struct cli_cmd cmd_completion = {
    .name = "completion",
    .args = "<shell>",
    .summary = "print completion for bash, zsh or fish",
    .run = run,
    .examples = "source <(bough completion bash)  # in ~/.bashrc\n"
                "bough completion fish > ~/.config/fish/completions/bough.fish",
};
