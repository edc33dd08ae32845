/* bough stats: counts what is in the store, or in one session. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "cli/kit/cli.h"

enum { PAGE = 1000, ROLES = BOUGH_ROLE_LAST + 1 };
#define HOUR_MS (INT64_C(3600) * 1000)

struct figure {
    const char *name; /* its JSON name; on a terminal "_" is printed as a blank */
    int64_t value;
};

static void put_text(struct cli *c, const struct figure *f, size_t n,
                     const struct bough_totals *spent)
{
    char cost[40], name[40];

    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s", f[i].name);
        for (char *p = name; *p; p++)
            *p = *p == '_' && c->out.tty ? ' ' : *p;
        if (c->out.tty)
            printf("%-18s %14" PRId64 "\n", name, f[i].value);
        else
            printf("%s\t%" PRId64 "\n", name, f[i].value);
    }
    bough_money_text(spent->cost, cost, sizeof cost);
    if (c->out.tty)
        printf("%-18s %14s\n", "cost", cost);
    else
        printf("cost_usd\t%s\n", cost);
}

static void put(struct cli *c, const struct figure *f, size_t n, const struct bough_totals *spent)
{
    struct json_writer *w;

    if (!c->out.json) {
        put_text(c, f, n, spent);
        return;
    }
    w = out_json(&c->out);
    jw_obj(w);
    for (size_t i = 0; i < n; i++)
        jw_kv_i64(w, f[i].name, f[i].value);
    form_usd(w, "cost_usd", spent->cost);
    jw_kv_i64(w, "cost_nano_usd", spent->cost);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static int of_store(struct cli *c)
{
    const struct bough_store_scoped_options patient = { .deadline_ms = HOUR_MS };
    struct bough_store *s = bough_store_scoped(c->s, &patient);
    struct bough_store_stats_result st;
    enum bough_rc rc = bough_store_stats(s, &st, &c->err);

    bough_store_close(&s);
    if (rc)
        return cli_failed(c);
    const struct figure all[] = {
        { "sessions", st.sessions },
        { "deleted_sessions", st.deleted_sessions },
        { "branches", st.branches },
        { "entries", st.entries },
        { "messages", st.messages },
        { "calls", st.calls },
        { "records", st.records },
        { "changes", st.log_rows },
        { "content_bytes", st.content_bytes },
        { "file_bytes", st.file_bytes },
        { "input", st.spent.input },
        { "output", st.spent.output },
        { "reasoning", st.spent.reasoning },
        { "cache_read", st.spent.cache_read },
        { "cache_write", st.spent.cache_write },
    };
    put(c, all, sizeof all / sizeof *all, &st.spent);
    return CLI_DONE;
}

struct counted {
    int64_t role[ROLES], tools, markers, entries;
};

/* Count along the path to the head, page by page. */
static enum bough_rc count_path(struct cli *c, const char *session, enum bough_entries_what what,
                                struct counted *out)
{
    struct bough_arena *page = bough_arena_create();
    char cursor[BOUGH_CURSOR_LEN + 1] = "";
    struct bough_entries_read_options how = { .what = what, .limit = PAGE, .cursor = cursor };
    struct bough_entries_read_result path;
    enum bough_rc rc;

    do {
        bough_arena_reset(page);
        rc = bough_entries_read(c->s, page, session, &how, &path, &c->err);
        for (size_t i = 0; !rc && i < path.entries.n; i++) {
            const struct bough_entry *e = &path.entries.at[i];

            out->entries++;
            if (e->kind == BOUGH_ENTRY_MESSAGE)
                out->role[e->role]++;
            out->markers += e->kind == BOUGH_ENTRY_COMPACTION;
            for (size_t k = 0; k < e->nparts; k++)
                out->tools +=
                    e->parts[k].type == BOUGH_PART_TOOL && e->role == BOUGH_ROLE_ASSISTANT;
        }
        snprintf(cursor, sizeof cursor, "%s", rc ? "" : path.entries.next);
    } while (*cursor);
    bough_arena_destroy(page);
    return rc;
}

static int of_session(struct cli *c)
{
    struct counted all = { 0 }, seen = { 0 };
    struct bough_branches branches;
    struct bough_session *s;
    int rc = cli_session(c, c->argv[0], &s);

    if (rc)
        return rc;
    if (count_path(c, s->id, BOUGH_ENTRIES_PATH, &all) ||
        count_path(c, s->id, BOUGH_ENTRIES_SINCE_MARKER, &seen) ||
        bough_tree_branches(c->s, c->a, s->id, &branches, &c->err))
        return cli_failed(c);
    const struct figure figures[] = {
        { "user", all.role[BOUGH_ROLE_USER] },
        { "assistant", all.role[BOUGH_ROLE_ASSISTANT] },
        { "tool", all.role[BOUGH_ROLE_TOOL] },
        { "system", all.role[BOUGH_ROLE_SYSTEM] },
        { "other_messages", all.role[BOUGH_ROLE_BASH] + all.role[BOUGH_ROLE_CUSTOM] +
                                all.role[BOUGH_ROLE_OTHER] + all.role[BOUGH_ROLE_NONE] },
        { "entries", all.entries },
        { "in_context", seen.entries },
        { "tool_calls", all.tools },
        { "compactions", all.markers },
        { "branches", (int64_t)branches.n },
        { "calls", s->calls },
        { "input", s->rolled.input },
        { "output", s->rolled.output },
        { "reasoning", s->rolled.reasoning },
        { "cache_read", s->rolled.cache_read },
        { "cache_write", s->rolled.cache_write },
    };
    put(c, figures, sizeof figures / sizeof *figures, &s->rolled);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    int rc = cli_open(c, CLI_READ);

    if (rc)
        return rc;
    return c->argc ? of_session(c) : of_store(c);
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_stats = {
    .name = "stats",
    .args = "[session]",
    .summary = "show statistics of the store, or of one session",
    .options = options,
    .run = run,
    .about = "For a session: counts along the path to its head, compacted messages included, and "
             "its tokens and cost, subagents included.",
    .columns = "name, value",
    .fields = "the names it prints, cost_usd and cost_nano_usd",
};
