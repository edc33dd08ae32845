/* Option parsing from a command's table, error messages, and finding the store. */
#include "cli/kit/cli.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/near.h"
#include "base/text/str.h"
#include "cli/kit/config.h"
#include "cli/term/print.h"

const struct cli_option cli_common[] = {
    { "store", 0, "URL", "store to use: a path, postgres://... or memory:" },
    { "color", 0, "WHEN", "when to use colours: auto, always or never",
      ONE_OF("auto", "always", "never") },
    { "no-pager", 0, NULL, "do not use a pager" },
    { "help", 'h', NULL, "show help" },
    { "version", 0, NULL, "show the version" },
    { 0 },
};

const struct cli_cmd *cli_find(const struct cli *c, const char *name)
{
    for (size_t i = 0; c->commands[i]; i++) {
        if (strcmp(c->commands[i]->name, name) == 0)
            return c->commands[i];
    }
    return NULL;
}

/* The command's name in messages: "bough" or "bough ls". */
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
    fprintf(stderr, "\nSee `bough help%s%s` for %s.\n", c->cmd ? " " : "",
            c->cmd ? c->cmd->name : "", c->cmd ? "usage" : "a list of commands");
    return CLI_USAGE;
}

const char *cli_hint(const struct bough_error *err)
{
    if (err->hint)
        return err->hint;
    switch (err->rc) {
    case BOUGH_NOT_FOUND:
    case BOUGH_EXISTS:
    case BOUGH_INVALID:
    case BOUGH_INVALID_PART:
    case BOUGH_CONFLICT:
    case BOUGH_BUSY:
    case BOUGH_TOO_LARGE:
    case BOUGH_IO:
        return ""; /* the sentence says it; advice for all errors of the code would mislead */
    default:
        return bough_rc_hint(err->rc);
    }
}

int cli_error(const struct cli *c, const struct bough_error *err)
{
    const char *hint = cli_hint(err);

    put_name(c);
    fputs(": ", stderr);
    print_line(stderr, err->msg);
    fputc('\n', stderr);
    if (!cstr_empty(hint))
        fprintf(stderr, "What to do: %s.\n", hint);
    return bough_rc_exit(err->rc);
}

/* ---- options ---- */

/* The tables in getopt's form: the code of a long option is FIRST_CODE + its index. */
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

/* The option that getopt_long() returned; NULL for '?' and ':'. */
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

/* "--in" is the beginning of several options; "--jsn" is near one. */
static int unknown_option(const struct cli *c, const struct known *k, const char *word)
{
    const char *name = word + strspn(word, "-"), *all = "";
    struct near n = near_begin(name);

    for (int i = 0; i < k->n; i++) {
        if (strncmp(k->row[i]->name, name, strlen(name)) == 0)
            all = arena_printf(c->a, "%s%s--%s", all, *all ? ", " : "", k->row[i]->name);
        near_try(&n, k->row[i]->name);
    }
    if (*all)
        return cli_usage(c, "option %s is ambiguous: %s", word, all);
    if (near_best(&n))
        return cli_usage(c, "unknown option %s; did you mean --%s?", word, near_best(&n));
    return cli_usage(c, "unknown option %s", word);
}

/* getopt refused `word`: print why. `code` is '?' or ':', optopt the option. */
static int complain(const struct cli *c, const struct known *k, int code, const char *word)
{
    const struct cli_option *row = optopt >= FIRST_CODE ? k->row[optopt - FIRST_CODE] : NULL;

    if (code == ':' && row)
        return cli_usage(c, "option --%s requires a value: --%s %s", row->name, row->name,
                         row->value);
    if (code == ':')
        return cli_usage(c, "option -%c requires a value", optopt);
    if (row)
        return cli_usage(c, "option --%s takes no value", row->name);
    if (optopt)
        return cli_usage(c, "unknown option -%c", optopt);
    return unknown_option(c, k, arena_strndup(c->a, word, strcspn(word, "=")));
}

/* How many arguments `args` asks for. "<a> [b] ..." is at least 1, without a maximum (-1). */
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
        return cli_usage(c, "unexpected argument: %s", c->argv[max]);
    return CLI_DONE;
}

const char *cli_word(const struct cli_option *o, size_t i)
{
    if (o->words)
        return o->words(i);
    return o->one_of ? o->one_of[i] : NULL;
}

/* CLI_USAGE unless the value is one of those that the option takes. */
static int check_value(struct cli *c, const struct cli_option *row, const char *value)
{
    const char *all = "";

    for (size_t i = 0; row->one_of[i]; i++) {
        if (strcmp(row->one_of[i], value) == 0)
            return CLI_DONE;
        all = arena_printf(c->a, "%s%s%s", all,
                           !i                   ? ""
                           : row->one_of[i + 1] ? ", "
                                                : " or ",
                           row->one_of[i]);
    }
    return cli_usage(c, "--%s must be %s, not \"%s\"", row->name, all, value);
}

static int keep(struct cli *c, const struct cli_option *row, const char *value)
{
    if (row->one_of && check_value(c, row, value))
        return CLI_USAGE;
    if (c->n_given == CLI_MAX_OPTIONS)
        return cli_usage(c, "too many options (at most %d)", CLI_MAX_OPTIONS);
    c->given[c->n_given++] = (struct cli_given){ row, value ? value : "" };
    return CLI_DONE;
}

/* With minus_words, -word is an argument: its minus is replaced by this while getopt runs. */
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

    /* '+' stops at the command's name; ':' distinguishes a missing value from an unknown option. */
    memcpy(k.shorts, c->cmd ? ":" : "+:", c->cmd ? 2 : 3);
    if (c->cmd)
        know(&k, c->cmd->options);
    know(&k, cli_common);

    opterr = 0;
    optind = 0; /* glibc: reset its state */
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

const char *cli_shell_word(struct bough_arena *a, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    char *out = arena_alloc(a, 4 * strlen(text) + 3), *to = out;

    if (*text && !text[strspn(text, plain)])
        return text;
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'') /* end the quotes, a quote, begin them again */
            to = stpcpy(to, "'\\'");
        *to++ = *text;
    }
    memcpy(to, "'", 2);
    return out;
}

const char *cli_again(struct cli *c)
{
    const char *out = arena_printf(c->a, "bough %s", c->cmd->name);

    for (int i = 0; i < c->n_given; i++) {
        const struct cli_given *g = &c->given[i];
        bool secret = strcmp(g->option->name, "store") == 0 && strchr(g->value, '@');

        out = arena_printf(c->a, "%s --%s", out, g->option->name);
        if (g->option->value)
            out = arena_printf(c->a, "%s %s", out, secret ? "URL" : cli_shell_word(c->a, g->value));
    }
    for (int i = 0; i < c->argc; i++)
        out = arena_printf(c->a, "%s %s", out, cli_shell_word(c->a, c->argv[i]));
    return out;
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
        fputs("; ignoring the configuration file\n", stderr);
    }
    return cstr_empty(value) ? NULL : value;
}

/* "postgres://user:password@host/..." or "...?password=..." */
static bool has_password(const char *url)
{
    const char *host, *at;

    if (strncmp(url, "postgres", 8) != 0)
        return false;
    host = strstr(url, "://");
    host = host ? host + 3 : url;
    at = memchr(host, '@', strcspn(host, "/?"));
    return (at && memchr(host, ':', (size_t)(at - host))) || strstr(url, "?password=") ||
           strstr(url, "&password=") || strstr(url, "&sslpassword=") ||
           strstr(url, "?sslpassword=");
}

int cli_no_password(struct cli *c, const char *option)
{
    const char *url = cli_value(c, option);

    if (!url || !has_password(url))
        return CLI_DONE;
    return cli_usage(c,
                     "other users can see a password in --%s: put it into ~/.pgpass or PGPASSWORD, "
                     "or the whole URL into BOUGH_STORE",
                     option);
}

const char *cli_store_url(struct cli *c)
{
    const char *url = cli_value(c, "store");
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n;

    if (cli_no_password(c, "store"))
        return NULL;
    if (!url)
        url = cli_setting(c, "store");
    if (url)
        n = snprintf(c->store, sizeof c->store, "%s", url);
    else if (data && data[0] == '/') /* XDG: a relative path is ignored */
        n = snprintf(c->store, sizeof c->store, "sqlite:%s/bough/bough.db", data);
    else if (!cstr_empty(home))
        n = snprintf(c->store, sizeof c->store, "sqlite:%s/.local/share/bough/bough.db", home);
    else
        n = 0;
    if (n > 0 && (size_t)n < sizeof c->store)
        return c->store;
    cli_usage(c, n ? "the URL of the store is too long"
                   : "no store given: use --store URL, or set BOUGH_STORE or HOME");
    return NULL;
}

int cli_store_open(struct cli *c, struct bough_store **out,
                   const struct bough_store_open_options *options)
{
    struct bough_error err = { 0 };

    if (!cli_store_url(c))
        return CLI_USAGE;
    return bough_store_open(out, c->store, options, &err) ? cli_error(c, &err) : CLI_DONE;
}
