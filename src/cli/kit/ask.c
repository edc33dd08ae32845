/* Steps that many commands share: open the store, find the session and entry, read values. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/near.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/when.h"
#include "core/model/text.h"
#include "core/part/part.h"

enum { TITLE_BYTES = 256, SUGGEST_FROM = 2000 };

int cli_failed(struct cli *c)
{
    return cli_error(c, &c->err);
}

/* A store of an older version is opened for writing once, which migrates it, so that read-only
 * commands work without a separate step. */
static bool upgraded(struct cli *c)
{
    struct bough_store_open_options options = { .must_exist = true };
    struct bough_error err;

    if (c->err.rc != BOUGH_READ_ONLY || bough_store_open(&c->s, c->store, &options, &err))
        return false;
    bough_store_close(&c->s);
    return true;
}

int cli_open(struct cli *c, enum cli_open how)
{
    struct bough_store_open_options options = { .read_only = how == CLI_READ,
                                                .must_exist = how != CLI_CREATE,
                                                .cache_bytes = c->cmd->cache_bytes };

    if (!cli_store_url(c))
        return CLI_USAGE;
    if (!bough_store_open(&c->s, c->store, &options, &c->err) ||
        (how == CLI_READ && upgraded(c) && !bough_store_open(&c->s, c->store, &options, &c->err)))
        return CLI_DONE;
    options.read_only = true;
    if (how == CLI_INDEX && c->err.rc != BOUGH_NOT_FOUND &&
        !bough_store_open(&c->s, c->store, &options, &c->err))
        return CLI_DONE;
    if (c->err.rc != BOUGH_NOT_FOUND)
        return cli_failed(c);
    fprintf(stderr, "bough %s: ", c->cmd->name);
    print_line(stderr, c->err.msg);
    fputs("\nWhat to do: create it with `bough new`, or use --store URL.\n", stderr);
    return CLI_FAILED;
}

/* Is there such a program on $PATH? A pager that cannot be started would lose the output. */
static bool on_path(struct cli *c, const char *name)
{
    const char *p = getenv("PATH");

    for (; p && *p; p += strcspn(p, ":"), p += *p == ':') {
        int n = (int)strcspn(p, ":");

        if (n && access(arena_printf(c->a, "%.*s/%s", n, p, name), X_OK) == 0)
            return true;
    }
    return false;
}

void cli_page(struct cli *c)
{
    const char *pager = cli_setting(c, "pager");

    if (cli_has(c, "no-pager"))
        return;
    if (!pager)
        pager = getenv("PAGER");
    if (!pager && on_path(c, "less"))
        pager = "less";
    out_pager(&c->out, pager);
}

void cli_say(const struct cli *c, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    if (!c->out.tty || c->out.json)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_line(stdout, text);
    putchar('\n');
}

const char *cli_here(struct cli *c)
{
    char path[PATH_MAX];

    return getcwd(path, sizeof path) ? arena_strdup(c->a, path) : "";
}

const char *cli_project(struct cli *c)
{
    const char *given = cli_value(c, "project");
    char path[PATH_MAX];
    struct stat st;

    if (!given || !*given || stat(given, &st) || !S_ISDIR(st.st_mode) || !realpath(given, path))
        return given;
    return arena_strdup(c->a, path);
}

/* What to do when no session has this name: the nearest slug of the latest sessions. */
static const char *suggest_session(struct cli *c, const char *text)
{
    struct bough_session_list_options f = { .limit = SUGGEST_FROM, .order = BOUGH_BY_MODIFIED };
    struct near n = near_begin(text);
    struct bough_sessions found;

    if (text[0] == '#' || bough_session_list(c->s, c->a, &f, &found, NULL) != BOUGH_OK)
        return "`bough ls` lists sessions";
    for (size_t i = 0; i < found.n; i++)
        near_try(&n, found.at[i].slug);
    if (!near_best(&n))
        return "`bough ls` lists sessions";
    return arena_printf(c->a, "the nearest name is %s; `bough ls` lists sessions", near_best(&n));
}

int cli_session(struct cli *c, const char *text, struct bough_session **out)
{
    enum bough_rc rc;

    if (strcmp(text, ".") == 0)
        rc = bough_session_continue(c->s, c->a, cli_here(c), out, &c->err);
    else
        rc = bough_session_get(c->s, c->a, text, out, &c->err);
    if (rc == BOUGH_NOT_FOUND)
        c->err.hint = suggest_session(c, text);
    return rc ? cli_failed(c) : CLI_DONE;
}

/* ---- entries ---- */

static enum bough_rc by_label(struct cli *c, const char *session, const char *text, const char **id)
{
    struct bough_labels labels;
    struct bough_error err = { 0 };
    enum bough_rc rc = bough_label_list(c->s, c->a, session, &labels, &err);

    *id = NULL;
    for (size_t i = 0; !rc && i < labels.n; i++) {
        if (strcmp(labels.at[i].text, text) != 0)
            continue;
        if (*id)
            return bough_fail(&c->err, BOUGH_AMBIGUOUS, "label %.60s is ambiguous: %s, %s", text,
                              *id, labels.at[i].entry);
        *id = labels.at[i].entry;
    }
    return *id ? BOUGH_OK : c->err.rc; /* no label either: keep the first error */
}

/* "@3": the third message on the path to the head. */
static enum bough_rc entry_by_number(struct cli *c, const char *session, const char *text,
                                     struct bough_entry **out)
{
    int64_t n;

    if (!json_span_i64(str_of(text + 1), &n) || n < 1)
        return bough_fail(&c->err, BOUGH_INVALID, "%.40s is not a message number such as @3", text);
    return bough_entry_by_number(c->s, c->a, session, n, out, &c->err);
}

int cli_entry(struct cli *c, const char *session, const char *text, const char **id)
{
    struct bough_entry *e = NULL;
    struct bough_head at;
    enum bough_rc rc;

    if (strcmp(text, "head") == 0) {
        rc = bough_head_get(c->s, c->a, session, &at, &e, &c->err);
        if (!rc && !e)
            rc = bough_fail(&c->err, BOUGH_NOT_FOUND,
                            "the head of this session is not on any entry");
    } else if (text[0] == '@') {
        rc = entry_by_number(c, session, text, &e);
    } else {
        rc = bough_entry_get(c->s, c->a, session, text, &e, &c->err);
        if (rc == BOUGH_NOT_FOUND && !by_label(c, session, text, id))
            return CLI_DONE;
    }
    if (c->err.rc == BOUGH_NOT_FOUND && rc)
        c->err.hint =
            "`bough tree` shows the entries of a session, `bough show` their numbers (@N)";
    if (rc)
        return cli_failed(c);
    *id = e->id;
    return CLI_DONE;
}

/* ---- values ---- */

int cli_number(struct cli *c, const char *option, int64_t fallback, int64_t *out)
{
    const char *text = cli_value(c, option);
    char *end;

    *out = fallback;
    if (!text)
        return CLI_DONE;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (errno || end == text || *end || *out < 0)
        return cli_usage(c, "--%s expects a number, not \"%s\"", option, text);
    return CLI_DONE;
}

int cli_when(struct cli *c, const char *option, int64_t *ms)
{
    const char *text = cli_value(c, option);

    *ms = 0;
    if (!text || when_parse(text, c->out.now, ms))
        return CLI_DONE;
    return cli_usage(c, "--%s expects a time such as 3d, 12h, yesterday or 2026-11-16, not \"%s\"",
                     option, text);
}

int cli_money(struct cli *c, const char *option, int64_t *nano)
{
    const char *text = cli_value(c, option);
    char *end;
    double usd;

    *nano = 0;
    if (!text)
        return CLI_DONE;
    usd = strtod(text, &end);
    if (end == text || *end)
        return cli_usage(c, "--%s expects an amount in USD such as 0.0123, not \"%s\"", option,
                         text);
    return bough_money_from_usd(usd, nano, &c->err) ? cli_failed(c) : CLI_DONE;
}

int cli_input(struct cli *c, const char *text, struct bough_str *out)
{
    struct buf b;
    bool over;
    size_t n;

    *out = str_of(text);
    if (strcmp(text, "-") != 0)
        return CLI_DONE;
    buf_init(&b, LIMIT_APPEND_BYTES);
    do {
        char *room = buf_reserve(&b, 1 << 16);

        n = room ? fread(room, 1, 1 << 16, stdin) : 0;
        b.n += n;
        buf_end(&b);
    } while (n);
    *out = text_keep(c->a, &b);
    over = b.over;
    buf_finish(&b);
    if (over)
        bough_fail(&c->err, BOUGH_TOO_LARGE, "standard input has more than %lld MB",
                   LIMIT_APPEND_BYTES >> 20);
    else if (ferror(stdin))
        bough_fail(&c->err, BOUGH_IO, "standard input cannot be read");
    else
        return CLI_DONE;
    return cli_failed(c);
}

int cli_text(struct cli *c, const char *text, const char **out)
{
    struct bough_str s;
    int rc = cli_input(c, text, &s);

    while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r') && strcmp(text, "-") == 0)
        s.n--;
    if (!rc && memchr(s.p, '\0', s.n))
        return cli_usage(c, "text must not contain NUL bytes");
    *out = rc ? "" : arena_strndup(c->a, s.p, s.n);
    return rc;
}

const char *cli_role_word(size_t i)
{
    static const char *const roles[] = { "user", "assistant", "system", "tool",
                                         "bash", "custom",    NULL };

    return roles[i];
}

int cli_confirm(struct cli *c, const char *fmt, ...)
{
    char text[512], answer[16] = "";
    va_list args;

    if (cli_has(c, "yes"))
        return CLI_DONE;
    if (!isatty(STDIN_FILENO))
        return cli_usage(c, "cannot ask for confirmation: stdin is not a terminal; use --yes");
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_line(stderr, text);
    fputs(" [y/N] ", stderr);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return CLI_DONE;
    fputs("Nothing was done.\n", stderr);
    return CLI_FAILED;
}

const char *cli_first_line(struct cli *c, const char *text)
{
    text += strspn(text, " \t\r\n");
    return text[strcspn(text, "\r\n")] ? arena_strndup(c->a, text, strcspn(text, "\r\n")) : text;
}

const char *cli_title(struct cli *c, const struct bough_session *s)
{
    return cli_first_line(c, cstr_empty(s->title) ? s->first_user : s->title);
}

/* The first line of the first user message on the path, and how many messages it has. */
static enum bough_rc of_path(struct cli *c, const char *id, int64_t *messages, const char **title)
{
    struct bough_entries_read_options first = { .messages = true, .limit = 4 };
    struct bough_entries_read_result path;
    struct bough_head at;
    struct bough_entry *e = NULL;
    enum bough_rc rc = bough_head_get(c->s, c->a, id, &at, &e, &c->err);

    *messages = e ? e->mno : 0;
    if (rc || **title)
        return rc;
    rc = bough_entries_read(c->s, c->a, id, &first, &path, &c->err);
    for (size_t i = 0; !rc && !**title && i < path.entries.n; i++) {
        e = &path.entries.at[i];
        if (e->role == BOUGH_ROLE_USER)
            *title = cli_first_line(c, preview_text(c->a, e->parts, e->nparts, TITLE_BYTES));
    }
    return rc;
}

int cli_shown(struct cli *c, const struct bough_session *s, int64_t *messages, const char **title)
{
    *messages = s->messages;
    *title = cli_title(c, s);
    if (!*s->fork_entry)
        return CLI_DONE;
    *title = cstr_empty(s->title) ? "" : *title;
    return of_path(c, s->id, messages, title) ? cli_failed(c) : CLI_DONE;
}

int cli_sessions(struct cli *c, struct bough_session ***out)
{
    int rc = CLI_DONE, code;

    *out = arena_array(c->a, (size_t)c->argc + 1, sizeof **out);
    for (int i = 0; i < c->argc; i++) {
        code = cli_session(c, c->argv[i], &(*out)[i]);
        rc = rc ? rc : code;
    }
    if (rc && c->argc > 1)
        fputs("Nothing was done.\n", stderr);
    return rc;
}

int cli_each(struct cli *c, const struct cli_change *change)
{
    struct bough_session **all;
    int made = 0, code, rc = cli_open(c, CLI_WRITE);

    if (!rc)
        rc = cli_sessions(c, &all);
    if (rc)
        return rc;
    for (int i = 0; i < c->argc; i++) {
        const char *idle = change->idle ? change->idle(all[i]) : NULL;

        if (idle) {
            fprintf(stderr, "#%lld %s %s\n", (long long)all[i]->number, all[i]->slug, idle);
        } else if (change->make(c->s, all[i]->id, &c->err)) {
            code = cli_failed(c);
            rc = rc ? rc : code;
            continue;
        } else {
            cli_say(c, "%s #%lld %s", change->done, (long long)all[i]->number, all[i]->slug);
        }
        made++;
    }
    if (rc && c->argc > 1)
        fprintf(stderr, "%s %d of %d sessions.\n", change->done, made, c->argc);
    return rc;
}

int cli_put_session(struct cli *c, const char *id)
{
    struct bough_session *s;

    if (!c->out.json)
        return CLI_DONE;
    if (bough_session_get(c->s, c->a, id, &s, &c->err))
        return cli_failed(c);
    form_session(out_json(&c->out), s);
    out_json_end(&c->out);
    return CLI_DONE;
}
