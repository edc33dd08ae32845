/* bough search: full-text search. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/progress.h"
#include "store/write/import_api.h"

enum { PAGE = 50, WAIT_SLICE_MS = 500 };

/* The role of a message; for other entries their kind. */
static const char *who(const struct bough_hit *h)
{
    return *bough_role_name(h->role) ? bough_role_name(h->role) : bough_entry_kind_name(h->kind);
}

static void put_json(struct cli *c, const struct bough_hit *h)
{
    struct json_writer *w = out_json(&c->out);

    form_hit(w, h);
    out_json_end(&c->out);
}

static void put_snippet(struct cli *c, const struct bough_hit *h)
{
    size_t at = 0;

    fputs(h->cut_front ? "..." : "", stdout);
    for (size_t i = 0; i < h->nmatches; i++) {
        print_safe(stdout, str_make(h->snippet.p + at, h->matches[i].from - at), PRINT_LINE);
        out_style(&c->out, PRINT_RED);
        print_safe(stdout, str_make(h->snippet.p + h->matches[i].from, h->matches[i].n),
                   PRINT_LINE);
        out_style(&c->out, PRINT_PLAIN);
        at = h->matches[i].from + h->matches[i].n;
    }
    print_safe(stdout, str_make(h->snippet.p + at, h->snippet.n - at), PRINT_LINE);
    fputs(h->cut_back ? "..." : "", stdout);
}

/* On a terminal two lines and a command that shows the entry; in a pipe one tab-separated line. */
static void put_text(struct cli *c, const struct bough_hit *h)
{
    char when[32];

    out_time(&c->out, h->time, when);
    if (!c->out.tty) {
        printf("%s\t%s\t%s\t%s\t%s\t%s\t", h->session, h->slug, *h->entry ? h->entry : "-", when,
               who(h), h->field);
        put_snippet(c, h);
        putchar('\n');
        return;
    }
    out_styled(&c->out, PRINT_YELLOW, h->slug);
    if (*h->title) {
        putchar(' ');
        out_styled(&c->out, PRINT_BOLD, h->title);
    }
    printf("  %s %s%s%s\n    ", when, who(h), *h->field ? ", " : "", h->field);
    put_snippet(c, h);
    if (*h->entry)
        printf("\n    bough show %s --from %s", h->slug, h->entry);
    fputs("\n\n", stdout);
}

static const char *query_of(struct cli *c)
{
    const char *q = "";

    for (int i = 0; i < c->argc; i++)
        q = arena_printf(c->a, "%s%s%s", q, i ? " " : "", c->argv[i]);
    return q;
}

static int pages(struct cli *c, struct bough_search_options *how, int64_t want)
{
    struct bough_hits hits = { 0 };
    int64_t shown = 0;

    do {
        how->limit = want - shown < PAGE ? want - shown : PAGE;
        if (bough_search(c->s, c->a, how, &hits, &c->err))
            return cli_failed(c);
        for (size_t i = 0; i < hits.n; i++, shown++) {
            if (c->out.json)
                put_json(c, &hits.at[i]);
            else
                put_text(c, &hits.at[i]);
        }
        how->cursor = hits.next;
    } while (*hits.next && shown < want);
    if (*hits.refused)
        fprintf(stderr, "bough search: %s\n", hits.refused);
    if (!hits.complete && hits.pending)
        fprintf(stderr, "bough search: %s not indexed yet; --wait indexes them first\n",
                out_things(c->a, hits.pending, "change"));
    return shown ? CLI_DONE : CLI_FAILED;
}

/* Index everything first, with a bar. Goes on for as long as it gets further. */
static int index_all(struct cli *c)
{
    struct bough_store_scoped_options slice = { .deadline_ms = WAIT_SLICE_MS };
    struct progress bar = { .what = "Indexing" };
    struct bough_store_info_result info = { 0 };
    struct bough_store *s = bough_store_scoped(c->s, &slice);
    int64_t all, before = INT64_MAX;
    enum bough_rc rc = bough_store_info(c->s, c->a, &info, &c->err);

    import_hold(c->s); /* two threads that index wait for each other */
    for (all = info.text_pending; !rc && info.text_pending && info.text_pending < before;) {
        before = info.text_pending;
        rc = bough_store_upkeep(s, &c->err);
        if (!rc)
            rc = bough_store_info(c->s, c->a, &info, &c->err);
        if (!rc)
            (void)progress_tell(&bar, all - info.text_pending, all);
    }
    progress_end(&bar);
    import_go_on(c->s);
    bough_store_close(&s);
    return rc && rc != BOUGH_READ_ONLY ? cli_failed(c) : CLI_DONE;
}

static int run(struct cli *c)
{
    struct bough_search_options how = { .query = query_of(c),
                                        .project = cli_project(c),
                                        .tool = cli_value(c, "tool"),
                                        .path = cli_has(c, "path") };
    const char *in = cli_value(c, "session"), *role = cli_value(c, "role");
    struct bough_session *s;
    int64_t want;
    int code = cli_number(c, "limit", 20, &want);

    if (!code && role && bough_role_parse(role) == BOUGH_ROLE_OTHER)
        return cli_usage(c, "unknown role %s", role);
    if (role)
        how.roles = 1u << bough_role_parse(role);
    if (!code)
        code = cli_when(c, "since", &how.since);
    if (!code)
        code = cli_when(c, cli_has(c, "until") ? "until" : "before", &how.until);
    if (!code)
        code = cli_open(c, CLI_INDEX);
    if (!code && cli_has(c, "wait"))
        code = index_all(c);
    if (!code && in)
        code = cli_session(c, in, &s);
    if (code)
        return code;
    if (in)
        how.session = s->id;
    cli_page(c);
    return pages(c, &how, want ? want : INT64_MAX);
}

static const struct cli_option options[] = {
    { "session", 's', "SESSION", "only entries this session shows" },
    { "path", 0, NULL, "with --session: only the path to its head" },
    { "project", 'p', "DIR", "only sessions of this project" },
    { "role", 'r', "ROLE", "only messages with this role", cli_role_word },
    { "tool", 't', "NAME", "only entries that use this tool" },
    { "since", 0, "TIME", "only since this time: 3d, yesterday, 2026-11-01" },
    { "until", 0, "TIME", "only before this time" },
    { "before", 0, "TIME", "the same as --until" },
    { "limit", 'n', "N", "maximum number of hits (20); 0 for all" },
    { "wait", 0, NULL, "index everything that was stored first, however long it takes" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_search = {
    .name = "search",
    .args = "<words> ...",
    .summary = "search the text of all conversations, newest first",
    .options = options,
    .run = run,
    .about = "All words must match, ignoring case and accents. Also: \"a phrase\", -not, prefix*, "
             "and field:value, where field is text, reasoning, tool, input, output, file or title. "
             "role:user, kind:compaction, session:slug, project:name, since:7d and "
             "until:2026-11-01 restrict the search. re: takes the rest of the query as a regular "
             "expression, which ignores case and reads every text. Only an invalid re: is an "
             "error; other queries that make no sense find nothing. Because -not is an argument "
             "here, write a one-letter option as a word of its own: -n 5, not -n5.",
    .minus_words = true,
    .fields = "session, slug, title, entry, part, field, kind, role, no, time, snippet, matches "
              "([from, bytes]), cut_front, cut_back",
    .examples = "bough search deadlock tool:bash since:7d\n"
                "bough search '\"connection refused\"' -docker --project .\n"
                "bough search 're:E(NOENT|ACCES)' --since 7d\n",
};
