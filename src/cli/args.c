/* The command line: options from a command's table, and complaints that say what to do next. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/config.h"
#include "cli/print.h"

const struct cli_option cli_common[] = {
    { "store", 0, "URL", "the store to work on: a path, postgres://..., memory:" },
    { "color", 0, "WHEN", "colours: auto, always or never" },
    { "no-pager", 0, NULL, "do not start a pager" },
    { "help", 'h', NULL, "show help" },
    { "version", 0, NULL, "show the version" },
    { 0 },
};

/* How the command is called in messages: "bough" or "bough ls". */
static void put_name(const struct cli *c)
{
    fputs("bough", stderr);
    if (c->cmd)
        fprintf(stderr, " %s", c->cmd->name);
}

int cli_usage(const struct cli *c, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    put_name(c);
    fputs(": ", stderr);
    print_line(stderr, text);
    fprintf(stderr, "\nRun `bough help%s%s` to see %s.\n", c->cmd ? " " : "",
            c->cmd ? c->cmd->name : "", c->cmd ? "how it is used" : "all commands");
    return CLI_USAGE;
}

int cli_error(const struct cli *c, const struct bough_error *err)
{
    const char *hint = bough_rc_hint(err->rc);

    put_name(c);
    fputs(": ", stderr);
    print_line(stderr, err->msg);
    fputc('\n', stderr);
    if (!cstr_empty(hint))
        fprintf(stderr, "What to do: %s.\n", hint);
    return bough_rc_exit(err->rc);
}

/* ---- options ---- */

/* getopt's view of the tables: every option is known by the code FIRST_CODE + its number. */
enum { FIRST_CODE = 256, MAX_KNOWN = 48 };

struct known {
    const struct cli_option *row[MAX_KNOWN];
    struct option longs[MAX_KNOWN + 1];
    char shorts[3 * MAX_KNOWN + 3];
    int n;
};

static void know(struct known *k, const struct cli_option *table)
{
    size_t s = strlen(k->shorts);

    for (; table && table->name && k->n < MAX_KNOWN; table++) {
        k->row[k->n] = table;
        k->longs[k->n] = (struct option){
            .name = table->name,
            .has_arg = table->value ? required_argument : no_argument,
            .val = FIRST_CODE + k->n,
        };
        if (table->letter) {
            k->shorts[s++] = table->letter;
            if (table->value)
                k->shorts[s++] = ':';
        }
        k->n++;
    }
    k->shorts[s] = '\0';
}

/* The row behind what getopt_long returned; NULL for its '?' and ':'. */
static const struct cli_option *row_of(const struct known *k, int code)
{
    if (code >= FIRST_CODE)
        return k->row[code - FIRST_CODE];
    for (int i = 0; i < k->n; i++) {
        if (code != '?' && code != ':' && k->row[i]->letter == code)
            return k->row[i];
    }
    return NULL;
}

/* getopt did not like `word`: say why. `code` is '?' or ':', optopt what it was about. */
static int complain(const struct cli *c, const struct known *k, int code, const char *word)
{
    const struct cli_option *row = optopt >= FIRST_CODE ? k->row[optopt - FIRST_CODE] : NULL;

    if (code == ':' && row)
        return cli_usage(c, "--%s needs a value: --%s %s", row->name, row->name, row->value);
    if (code == ':')
        return cli_usage(c, "-%c needs a value", optopt);
    if (row)
        return cli_usage(c, "--%s takes no value", row->name);
    if (optopt)
        return cli_usage(c, "there is no option -%c", optopt);
    return cli_usage(c, "there is no option %.*s, or it is short for several",
                     (int)strcspn(word, "="), word);
}

/* What `args` of a command asks for: "<a> [b] ..." wants at least 1, and any number. */
static void count_args(const char *args, int *min, int *max)
{
    *min = *max = 0;
    for (const char *p = args; *p; p++) {
        if (*p == '<')
            (*min)++;
        if (*p == '<' || *p == '[')
            (*max)++;
    }
    if (strstr(args, "..."))
        *max = -1;
}

static int check_args(const struct cli *c)
{
    int min, max;

    count_args(c->cmd->args, &min, &max);
    if (c->argc < min)
        return cli_usage(c, "missing argument: %s", c->cmd->args);
    if (max >= 0 && c->argc > max)
        return cli_usage(c, "one argument too many: %s", c->argv[max]);
    return CLI_DONE;
}

static int keep(struct cli *c, const struct cli_option *row, const char *value)
{
    if (c->n_given == CLI_MAX_OPTIONS)
        return cli_usage(c, "more than %d options", CLI_MAX_OPTIONS);
    c->given[c->n_given++] = (struct cli_given){ row, value ? value : "" };
    return CLI_DONE;
}

/* Words that begin with a minus look like options to getopt: meanwhile they begin with this. */
enum { MINUS = '\1' };

static void hide_minus(int argc, char **argv, bool hide)
{
    for (int i = 1; i < argc && !(hide && strcmp(argv[i], "--") == 0); i++) {
        bool word = argv[i][0] == '-' && argv[i][1] != '-' && argv[i][1] && argv[i][2];

        if (hide && word)
            argv[i][0] = MINUS;
        else if (!hide && argv[i][0] == MINUS)
            argv[i][0] = '-';
    }
}

static int parse(struct cli *c, int argc, char **argv)
{
    struct known k = { .n = 0 };
    int code, rc;

    /* '+' stops at the command's name; ':' tells a missing value from an unknown option. */
    memcpy(k.shorts, c->cmd ? ":" : "+:", c->cmd ? 2 : 3);
    if (c->cmd)
        know(&k, c->cmd->options);
    know(&k, cli_common);

    opterr = 0;
    optind = 0; /* glibc: start afresh */
    for (;;) {
        int at = optind ? optind : 1;

        optopt = 0;
        code = getopt_long(argc, argv, k.shorts, k.longs, NULL);
        if (code == -1)
            break;
        const struct cli_option *row = row_of(&k, code);

        rc =
            row ? keep(c, row, optarg) : complain(c, &k, code, argv[optind > at ? optind - 1 : at]);
        if (rc)
            return rc;
    }
    c->argc = argc - optind;
    c->argv = argv + optind;
    return CLI_DONE;
}

int cli_parse(struct cli *c, int argc, char **argv)
{
    bool minus = c->cmd && c->cmd->minus_words;
    int rc;

    if (minus)
        hide_minus(argc, argv, true);
    rc = parse(c, argc, argv);
    if (minus)
        hide_minus(argc, argv, false);
    return !rc && c->cmd && !cli_has(c, "help") ? check_args(c) : rc;
}

const char *cli_value(const struct cli *c, const char *name)
{
    for (int i = c->n_given; i-- > 0;) {
        if (strcmp(c->given[i].option->name, name) == 0)
            return c->given[i].value;
    }
    return NULL;
}

bool cli_has(const struct cli *c, const char *name)
{
    return cli_value(c, name) != NULL;
}

/* ---- the store ---- */

const char *cli_setting(struct cli *c, const char *name)
{
    static bool complained;
    const char *value = NULL;
    struct bough_error err = { 0 };

    if (config_get(c->a, name, &value, NULL, &err) && !complained) {
        complained = true;
        fputs("bough: ", stderr);
        print_line(stderr, err.msg);
        fputs("; the file is not used\n", stderr);
    }
    return cstr_empty(value) ? NULL : value;
}

const char *cli_store_url(struct cli *c)
{
    const char *url = cli_value(c, "store");
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n;

    if (!url)
        url = cli_setting(c, "store");
    if (url)
        n = snprintf(c->store, sizeof c->store, "%s", url);
    else if (data && data[0] == '/') /* the XDG rule: a relative path does not count */
        n = snprintf(c->store, sizeof c->store, "sqlite:%s/bough/bough.db", data);
    else if (!cstr_empty(home))
        n = snprintf(c->store, sizeof c->store, "sqlite:%s/.local/share/bough/bough.db", home);
    else
        n = 0;
    if (n > 0 && (size_t)n < sizeof c->store)
        return c->store;
    cli_usage(c, n ? "the name of the store is too long"
                   : "no store: give --store URL, or set BOUGH_STORE or HOME");
    return NULL;
}

int cli_store_open(struct cli *c, struct bough_store **out, const struct bough_options *options)
{
    struct bough_error err = { 0 };

    if (!cli_store_url(c))
        return CLI_USAGE;
    return bough_store_open(out, c->store, options, &err) ? cli_error(c, &err) : CLI_DONE;
}
