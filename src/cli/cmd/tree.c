/* bough tree: draws a session's branches. Long runs of entries are shortened. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/render.h"
#include "cli/term/graph.h"
#include "cli/term/width.h"

enum { MOST_FORKS = 1000 };

struct tree {
    struct cli *c;
    struct bough_session *s;
    struct bough_labels labels;
    struct bough_entries markers;
    struct bough_sessions kids; /* forks and subagents */
    struct bough_session **forks;
    struct graph g;
    struct bough_arena *line;
    int rc;
};

/* ---- collecting ---- */

static int64_t last_shown(const struct tree *t, const struct bough_branches *b, size_t i)
{
    int64_t to = 0;

    if (strcmp(b->at[i].session, t->s->id) == 0)
        return b->at[i].tip;
    /* Draw an inherited branch up to the last entry this session can see. */
    if (t->s->head.branch == b->at[i].number)
        to = t->s->head.depth;
    for (size_t k = 0; k < b->n; k++)
        if (b->at[k].base.branch == b->at[i].number && b->at[k].base.depth > to)
            to = b->at[k].base.depth;
    return to;
}

/* A fork without entries of its own shows the branches of its nearest ancestor that has some. */
static int inherited_only(struct tree *t, struct bough_branches *out)
{
    struct cli *c = t->c;
    struct bough_session *up = t->s;

    while (!cstr_empty(up->parent) && !out->n) {
        if (bough_session_get(c->s, c->a, up->parent, &up, &c->err) == BOUGH_GONE)
            return CLI_DONE;
        if (c->err.rc || bough_tree_branches(c->s, c->a, up->id, out, &c->err))
            return cli_failed(c);
    }
    return CLI_DONE;
}

static int gather_branches(struct tree *t)
{
    struct cli *c = t->c;
    struct bough_branches b;
    struct graph_branch *to;
    int rc = CLI_DONE;

    if (bough_tree_branches(c->s, c->a, t->s->id, &b, &c->err))
        return cli_failed(c);
    if (!b.n && t->s->head.branch)
        rc = inherited_only(t, &b);
    /* The head's branch has no entries yet: the head is its base. */
    for (size_t i = 0; i < b.n; i++)
        if (b.at[i].number == t->s->head.branch && t->s->head.depth <= b.at[i].base.depth)
            t->s->head = b.at[i].base;
    to = arena_array(c->a, b.n + 1, sizeof *to);
    for (size_t i = 0; i < b.n; i++)
        to[i] = (struct graph_branch){ b.at[i].number, b.at[i].base, last_shown(t, &b, i) };
    t->g.branches = to;
    t->g.n = b.n;
    return rc;
}

/* The head, labelled entries and markers are always drawn. */
static int gather_points(struct tree *t)
{
    struct cli *c = t->c;
    struct bough_head *to;
    struct bough_entry *e;
    size_t n = 0;

    if (bough_label_list(c->s, c->a, t->s->id, &t->labels, &c->err) ||
        bough_marker_list(c->s, c->a, t->s->id, &t->markers, &c->err))
        return cli_failed(c);
    to = arena_array(c->a, t->labels.n + t->markers.n + 1, sizeof *to);
    to[n++] = t->s->head;
    for (size_t i = 0; i < t->labels.n; i++)
        if (!bough_entry_get(c->s, c->a, NULL, t->labels.at[i].entry, &e, NULL))
            to[n++] = e->at;
    for (size_t i = 0; i < t->markers.n; i++)
        to[n++] = t->markers.at[i].at;
    t->g.points = to;
    t->g.npoints = n;
    return CLI_DONE;
}

static int gather_forks(struct tree *t)
{
    struct cli *c = t->c;
    struct bough_session_list_options f = { .parent = t->s->id,
                                            .order = BOUGH_BY_CREATED,
                                            .limit = MOST_FORKS };
    struct bough_head *to;
    struct bough_entry *e;

    if (bough_session_list(c->s, c->a, &f, &t->kids, &c->err))
        return cli_failed(c);
    to = arena_array(c->a, t->kids.n + 1, sizeof *to);
    t->forks = arena_array(c->a, t->kids.n + 1, sizeof *t->forks);
    for (size_t i = t->kids.n; i-- > 0;) { /* oldest first */
        struct bough_session *kid = &t->kids.at[i];

        if (cstr_empty(kid->fork_entry) ||
            bough_entry_get(c->s, c->a, NULL, kid->fork_entry, &e, NULL))
            continue;
        t->forks[t->g.nextras] = kid;
        to[t->g.nextras++] = e->at;
    }
    t->g.extras = to;
    return CLI_DONE;
}

/* ---- drawing ---- */

static const char *label_of(const struct tree *t, const char *entry)
{
    for (size_t i = 0; i < t->labels.n; i++)
        if (strcmp(t->labels.at[i].entry, entry) == 0)
            return t->labels.at[i].text;
    return "";
}

static bool is_head(const struct tree *t, struct bough_head at)
{
    return t->s->head.branch == at.branch && t->s->head.depth == at.depth;
}

static void json_row(struct tree *t, const struct graph_row *row, const struct bough_entry *e)
{
    static const char *const names[] = { "entry", "skipped", "", "fork" };
    struct json_writer *w = out_json(&t->c->out);

    jw_obj(w);
    jw_kv_cstr(w, "what", names[row->what]);
    form_head(w, "at", row->at);
    if (e) {
        jw_kv_cstr(w, "id", e->id);
        jw_kv_cstr(w, "kind", bough_entry_kind_name(e->kind));
        jw_opt_cstr(w, "role", bough_role_name(e->role));
        form_time(w, "time", e->time);
        jw_kv_bool(w, "head", is_head(t, e->at));
        jw_kv_bool(w, "own", strcmp(e->session, t->s->id) == 0);
        jw_opt_cstr(w, "label", label_of(t, e->id));
        jw_kv_cstr(w, "text", render_line(t->line, e));
    } else if (row->what == GRAPH_SKIP) {
        jw_kv_i64(w, "count", row->n);
    } else {
        jw_kv_cstr(w, "session", t->forks[row->n]->id);
        jw_kv_cstr(w, "slug", t->forks[row->n]->slug);
        jw_kv_cstr(w, "title", cli_title(t->c, t->forks[row->n]));
    }
    jw_end_obj(w);
    out_json_end(&t->c->out);
}

/* Print text cut to the columns left on the terminal after `used`. */
static void put_rest(const struct tree *t, const char *text, size_t used, enum print_style style)
{
    const struct out *o = &t->c->out;
    size_t left = !o->tty ? 2000 : o->width > used + 10 ? o->width - used : 10;
    struct bough_str s = width_cut(t->line, str_of(text), left);

    if (style != PRINT_PLAIN)
        out_style(o, style);
    fwrite(s.p, 1, s.n, stdout);
    if (style != PRINT_PLAIN)
        out_style(o, PRINT_PLAIN);
}

static void put_entry(struct tree *t, const char *prefix, const struct bough_entry *e)
{
    const struct out *o = &t->c->out;
    const char *label = label_of(t, e->id);
    char place[48];
    const char *who = e->kind == BOUGH_ENTRY_MESSAGE ? bough_role_name(e->role) : "";
    size_t used;

    snprintf(place, sizeof place, "#%" PRId64 ".%" PRId64, e->at.branch, e->at.depth);
    out_styled(o, PRINT_DIM, prefix);
    out_styled(o, PRINT_YELLOW, place);
    used = strlen(prefix) + strlen(place) + 1;
    if (is_head(t, e->at)) {
        putchar(' ');
        out_styled(o, PRINT_GREEN, "(head)");
        used += 7;
    }
    if (*label) {
        const char *shown = arena_printf(t->line, " [%s]", label);

        out_styled(o, PRINT_CYAN, shown);
        used += width_of(str_of(shown));
    }
    if (*who) {
        putchar(' ');
        out_styled(o, PRINT_BOLD, who);
        used += strlen(who) + 1;
    }
    putchar(' ');
    put_rest(t, e->deleted ? "(deleted)" : render_line(t->line, e), used,
             e->kind == BOUGH_ENTRY_MESSAGE && strcmp(e->session, t->s->id) == 0 ? PRINT_PLAIN
                                                                                 : PRINT_DIM);
    putchar('\n');
}

static bool put_row(void *user, const struct graph_row *row)
{
    struct tree *t = user;
    struct cli *c = t->c;
    struct bough_entry *e = NULL;
    char place[48];

    bough_arena_reset(t->line);
    snprintf(place, sizeof place, "#%" PRId64 ".%" PRId64, row->at.branch, row->at.depth);
    if (row->what == GRAPH_ENTRY && bough_entry_get(c->s, t->line, NULL, place, &e, &c->err)) {
        t->rc = cli_failed(c);
        return false;
    }
    if (c->out.json) {
        if (row->what != GRAPH_OPEN)
            json_row(t, row, e);
        return true;
    }
    if (e) {
        put_entry(t, row->prefix, e);
        return true;
    }
    out_styled(&c->out, PRINT_DIM, row->prefix);
    if (row->what == GRAPH_SKIP)
        out_styled(&c->out, PRINT_DIM, arena_printf(t->line, "%" PRId64 " more", row->n));
    if (row->what == GRAPH_EXTRA) {
        const struct bough_session *fork = t->forks[row->n];
        const char *name =
            arena_printf(t->line, "fork #%" PRId64 " %s: ", fork->number, fork->slug);

        out_styled(&c->out, PRINT_MAGENTA, name);
        put_rest(t, *cli_title(c, fork) ? cli_title(c, fork) : "(no title)",
                 strlen(row->prefix) + strlen(name), PRINT_PLAIN);
    }
    putchar('\n');
    return true;
}

static void put_subagents(const struct tree *t)
{
    for (size_t i = t->kids.n; i-- > 0;) {
        const struct bough_session *kid = &t->kids.at[i];
        const char *name;

        if (!cstr_empty(kid->fork_entry))
            continue;
        name = arena_printf(t->line, "subagent #%" PRId64 " %s: ", kid->number, kid->slug);
        out_styled(&t->c->out, PRINT_MAGENTA, name);
        put_rest(t, cli_title(t->c, kid), strlen(name), PRINT_PLAIN);
        putchar('\n');
    }
    if (!cstr_empty(t->kids.next))
        printf("... and more forks: bough ls --parent '#%" PRId64 "'\n", t->s->number);
}

static int run(struct cli *c)
{
    struct tree t = { .c = c, .g = { .all = cli_has(c, "all") } };
    int rc = cli_open(c, CLI_READ);

    if (!rc)
        rc = cli_session(c, c->argv[0], &t.s);
    if (!rc)
        rc = gather_branches(&t);
    if (!rc)
        rc = gather_points(&t);
    if (!rc)
        rc = gather_forks(&t);
    if (rc)
        return rc;
    t.line = bough_arena_create();
    cli_page(c);
    graph_draw(c->a, &t.g, put_row, &t);
    if (!t.rc && !c->out.json)
        put_subagents(&t);
    bough_arena_destroy(t.line);
    return t.rc;
}

static const struct cli_option options[] = {
    { "all", 'a', NULL, "draw every entry" },
    { "json", 0, NULL, "JSON Lines, one per drawn line" },
    { 0 },
};

const struct cli_cmd cmd_tree = {
    .name = "tree",
    .args = "<session>",
    .summary = "draw a session's branches, with labels, compactions, head and forks",
    .options = options,
    .run = run,
    .about = "Oldest first. Long runs of entries are shortened to their ends.",
    .fields = "what (entry, skipped, fork), at; id, kind, role, time, head, own, label, text of an "
              "entry; count of what is skipped; session, slug, title of a fork",
};
