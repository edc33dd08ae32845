/* bough log: prints the changelog; --follow waits for more. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"

enum { WAIT_MS = 500, PAGE = 500, USUAL = 50 };

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
    (void)sig;
    stopped = 1;
}

static void put_json(struct cli *c, const struct bough_change *ch)
{
    struct json_writer *w = out_json(&c->out);

    form_change(w, ch);
    out_json_end(&c->out);
}

static void put_text(struct cli *c, struct bough_arena *a, const struct bough_change *ch)
{
    struct bough_session *s;
    char when[32];

    out_time(&c->out, ch->time, when);
    if (!c->out.tty) {
        printf("%" PRId64 "\t%s\t%s\t%s\t%s\n", ch->no, when, ch->kind, ch->session, ch->entry);
        return;
    }
    out_styled(&c->out, PRINT_YELLOW, arena_printf(a, "%6" PRId64, ch->no));
    printf("  %-10s  %-14s  ", when, ch->kind);
    if (!cstr_empty(ch->session) && !bough_session_get(c->s, a, ch->session, &s, NULL)) {
        printf("#%" PRId64 " ", s->number);
        print_line(stdout, s->slug);
    } else {
        print_line(stdout, ch->session);
    }
    putchar('\n');
}

/* Which changes to print. */
struct wanted {
    const char *session;  /* NULL: of all */
    int64_t since, until; /* 0: no bound */
};

static bool is_wanted(const struct wanted *w, const struct bough_change *ch)
{
    return (!w->session || strcmp(ch->session, w->session) == 0) &&
           (!w->since || ch->time >= w->since) && (!w->until || ch->time < w->until);
}

static void put_changes(struct cli *c, struct bough_arena *a, const struct bough_changes *ch,
                        const struct wanted *w)
{
    for (size_t i = 0; i < ch->n; i++) {
        if (!is_wanted(w, &ch->at[i]))
            continue;
        if (c->out.json)
            put_json(c, &ch->at[i]);
        else
            put_text(c, a, &ch->at[i]);
    }
    fflush(stdout);
}

/* Find the mark after which `limit` changes follow. Each change takes one number or more, so look
 * back further until there are enough. */
static int start_at(struct cli *c, int64_t limit, struct bough_mark *at)
{
    struct bough_store_log_options how;
    struct bough_changes ch;
    struct bough_mark end;

    if (bough_feed_end(c->s, &end, &c->err))
        return cli_failed(c);
    *at = end;
    for (int64_t back = limit; limit; back *= 4) {
        at->no = back < end.no ? end.no - back : 0;
        how = (struct bough_store_log_options){ .after = at->no, .limit = back };
        if (bough_store_log(c->s, c->a, &how, &ch, &c->err))
            return cli_failed(c);
        if (at->no == 0 || (int64_t)ch.n >= limit) {
            if ((int64_t)ch.n > limit)
                at->no = ch.at[ch.n - (size_t)limit - 1].no;
            break;
        }
    }
    return CLI_DONE;
}

static int follow(struct cli *c, struct bough_arena *a, struct bough_mark at,
                  const struct wanted *w)
{
    struct bough_feed_next_result feed;

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    while (!stopped && !ferror(stdout)) {
        bough_arena_reset(a);
        if (bough_feed_next(c->s, a, at, PAGE, WAIT_MS, &feed, &c->err))
            return cli_failed(c);
        if (feed.reset)
            fputs("bough log: the store was replaced by a backup; continuing from its end\n",
                  stderr);
        else
            put_changes(c, a, &feed.changes, w);
        at = feed.next;
    }
    return CLI_DONE;
}

static int print_log(struct cli *c, struct bough_arena *a, struct bough_mark at,
                     const struct wanted *w)
{
    char cursor[BOUGH_CURSOR_LEN + 1] = "";
    struct bough_store_log_options how = { .after = at.no, .limit = PAGE, .cursor = cursor };
    struct bough_changes ch;

    cli_page(c);
    do {
        bough_arena_reset(a);
        if (bough_store_log(c->s, a, &how, &ch, &c->err))
            return cli_failed(c);
        put_changes(c, a, &ch, w);
        snprintf(cursor, sizeof cursor, "%s", ch.next);
    } while (*cursor);
    return CLI_DONE;
}

/* Find where to begin: after --after, or --limit changes before the end; else at the beginning. */
static int find_start(struct cli *c, struct bough_mark *at)
{
    bool usual = !cli_has(c, "session") && !cli_has(c, "all") && !cli_has(c, "since") &&
                 !cli_has(c, "until");
    int64_t limit, after;
    int rc = cli_number(c, "limit", usual ? USUAL : 0, &limit);

    if (!rc)
        rc = cli_number(c, "after", 0, &after);
    if (rc || (!limit && !cli_has(c, "follow") && !cli_has(c, "after")))
        return rc;
    rc = start_at(c, cli_has(c, "after") ? 0 : limit, at);
    if (cli_has(c, "after"))
        at->no = after;
    return rc;
}

static int run(struct cli *c)
{
    struct bough_mark at = { 0 };
    struct bough_session *s = NULL;
    struct wanted w = { 0 };
    struct bough_arena *a;
    int rc = cli_when(c, "since", &w.since);

    if (!rc)
        rc = cli_when(c, "until", &w.until);
    if (!rc)
        rc = cli_open(c, CLI_READ);
    if (!rc && cli_has(c, "session"))
        rc = cli_session(c, cli_value(c, "session"), &s);
    if (!rc)
        rc = find_start(c, &at);
    if (rc)
        return rc;
    a = bough_arena_create();
    w.session = s ? s->id : NULL;
    if (cli_has(c, "follow"))
        rc = follow(c, a, at, &w);
    else
        rc = print_log(c, a, at, &w);
    bough_arena_destroy(a);
    return rc;
}

static const struct cli_option options[] = {
    { "follow", 'f', NULL, "wait for new changes and print them" },
    { "limit", 'n', "N", "number of latest changes to print (50)" },
    { "all", 'a', NULL, "print all changes from the beginning" },
    { "after", 0, "NO", "only changes after this number" },
    { "session", 's', "SESSION", "only changes of this session" },
    { "since", 0, "TIME", "only changes since this time: 3d, 12h, yesterday, 2026-11-16" },
    { "until", 0, "TIME", "only changes before this time" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_log = {
    .name = "log",
    .args = "",
    .summary = "show the changes in the store, in order",
    .options = options,
    .run = run,
    .columns = "number, time, kind of change, session, entry",
    .fields = "no, count, time, kind, session, entry",
    .examples = "bough log --follow --json  # one line per change, as it happens",
};
