/* bough diff: the last common entry of two paths, and what each adds. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/files.h"
#include "cli/kit/render.h"
#include "cli/term/width.h"
#include "core/model/totals.h"

struct side {
    const char *text;    /* as given on the command line */
    const char *session; /* id */
    const char *entry;   /* id; NULL: the session's head */
    const struct bough_entries *adds;
    struct bough_totals used;
    struct files files;
};

/* False when a label of the session is `text`; sets *entry to its entry. */
static bool no_label(struct cli *c, const char *session, const char *text, const char **entry)
{
    struct bough_labels labels;

    if (bough_label_list(c->s, c->a, session, &labels, NULL))
        return true;
    for (size_t i = 0; i < labels.n; i++) {
        if (strcmp(labels.at[i].text, text) != 0)
            continue;
        *entry = labels.at[i].entry;
        return false;
    }
    return true;
}

/* Parse SESSION, SESSION:ENTRY or ENTRY. @3 and labels are looked up in the session `before`. */
static int find_side(struct cli *c, const char *text, const char *before, struct side *out)
{
    const char *colon = strchr(text, ':');
    struct bough_session *s;
    struct bough_entry *e;
    int rc;

    out->text = text;
    if (colon) {
        rc = cli_session(c, arena_strndup(c->a, text, (size_t)(colon - text)), &s);
        if (!rc)
            rc = cli_entry(c, s->id, colon + 1, &out->entry);
        out->session = rc ? NULL : s->id;
        return rc;
    }
    if (text[0] != '@' && strcmp(text, ".") != 0 &&
        !bough_session_get(c->s, c->a, text, &s, &c->err)) {
        out->session = s->id;
        return CLI_DONE;
    }
    if (c->err.rc && c->err.rc != BOUGH_NOT_FOUND)
        return cli_failed(c);
    if (!bough_entry_get(c->s, c->a, NULL, text, &e, NULL)) {
        out->session = e->session;
        out->entry = e->id;
        return CLI_DONE;
    }
    if (strcmp(text, ".") == 0 || !before) {
        rc = cli_session(c, text, &s);
        out->session = rc ? NULL : s->id;
        return rc;
    }
    out->session = before;
    if (text[0] == '@' || strcmp(text, "head") == 0)
        return cli_entry(c, before, text, &out->entry);
    if (!no_label(c, before, text, &out->entry))
        return CLI_DONE;
    bough_fail(&c->err, BOUGH_NOT_FOUND, "no session, entry or label %.60s", text);
    return cli_failed(c);
}

/* Counts each call once, even if it produced several entries; entries without a call by their
 * usage. */
static void add_up(struct cli *c, struct side *s)
{
    struct smap seen;

    smap_init(&seen);
    for (size_t i = 0; i < s->adds->n; i++) {
        const struct bough_entry *e = &s->adds->at[i];
        struct bough_call *call;

        if (*e->call && smap_get(&seen, str_of(e->call), NULL))
            continue;
        if (*e->call && !bough_call_get(c->s, c->a, e->call, &call, NULL)) {
            smap_put(&seen, str_of(e->call), 1);
            (void)!totals_add(&s->used, &call->used);
        } else if (e->usage) {
            (void)!totals_add(&s->used, e->usage);
        }
    }
    smap_finish(&seen);
    files_of(c->a, s->adds->at, s->adds->n, &s->files);
}

/* ---- printing ---- */

static void json_side(struct json_writer *w, const char *name, const struct side *s)
{
    jw_key(w, name);
    jw_obj(w);
    jw_kv_cstr(w, "session", s->session);
    jw_key(w, "entries");
    jw_arr(w);
    for (size_t i = 0; i < s->adds->n; i++)
        jw_cstr(w, s->adds->at[i].id);
    jw_end_arr(w);
    form_totals(w, "used", &s->used);
    jw_key(w, "files");
    jw_arr(w);
    for (size_t i = 0; i < s->files.n; i++)
        jw_cstr(w, s->files.at[i]);
    jw_end_arr(w);
    jw_end_obj(w);
}

static void put_entry(struct cli *c, const char *mark, const struct bough_entry *e,
                      enum print_style style)
{
    const char *who = e->kind == BOUGH_ENTRY_MESSAGE ? bough_role_name(e->role) : "-";
    const char *start =
        arena_printf(c->a, "%s #%" PRId64 ".%" PRId64, mark, e->at.branch, e->at.depth);
    size_t used = strlen(start) + 12;
    struct bough_str line = width_cut(c->a, str_of(render_line(c->a, e)),
                                      !c->out.tty                ? 2000
                                      : c->out.width > used + 10 ? c->out.width - used
                                                                 : 10);

    if (!c->out.tty) {
        printf("%s\t#%" PRId64 ".%" PRId64 "\t%s\t%s\t%.*s\n", mark, e->at.branch, e->at.depth,
               e->id, who, (int)line.n, line.p);
        return;
    }
    out_styled(&c->out, style, start);
    printf(" %-9s %.*s\n", who, (int)line.n, line.p);
}

static void put_sum(struct cli *c, const char *mark, const struct side *s, enum print_style style)
{
    char cost[40];

    bough_money_text(s->used.cost, cost, sizeof cost);
    if (!c->out.tty)
        return;
    out_styled(&c->out, style, arena_printf(c->a, "%s %s", mark, s->text));
    printf("  adds %s, %" PRId64 " tokens in, %" PRId64 " cached, %" PRId64 " out, $%s\n",
           out_things(c->a, (int64_t)s->adds->n, "entry"), s->used.input,
           s->used.cache_read + s->used.cache_write, s->used.output, cost);
}

static void put_files(struct cli *c, const struct side *one, const struct side *other)
{
    size_t i = 0, k = 0;

    if (c->out.tty && (one->files.n || other->files.n))
        puts("\nFiles touched:");
    while (i < one->files.n || k < other->files.n) {
        int order = i == one->files.n     ? 1
                    : k == other->files.n ? -1
                                          : strcmp(one->files.at[i], other->files.at[k]);
        const char *path = order > 0 ? other->files.at[k] : one->files.at[i];

        printf(c->out.tty ? "%s " : "%s file\t", order < 0 ? "<" : order > 0 ? ">" : "=");
        print_line(stdout, path);
        putchar('\n');
        i += order <= 0;
        k += order >= 0;
    }
}

static void put_text(struct cli *c, const struct bough_tree_diff_result *d, const struct side *one,
                     const struct side *other)
{
    if (d->common)
        put_entry(c, "=", d->common, PRINT_DIM);
    else
        cli_say(c, "Nothing in common.");
    put_sum(c, "<", one, PRINT_RED);
    for (size_t i = 0; i < one->adds->n; i++)
        put_entry(c, "<", &one->adds->at[i], PRINT_RED);
    put_sum(c, ">", other, PRINT_GREEN);
    for (size_t i = 0; i < other->adds->n; i++)
        put_entry(c, ">", &other->adds->at[i], PRINT_GREEN);
    put_files(c, one, other);
}

static int run(struct cli *c)
{
    struct side one = { 0 }, other = { 0 };
    struct bough_tree_diff_options how;
    struct bough_tree_diff_result d;
    struct json_writer *w;
    int rc = cli_open(c, CLI_READ);

    if (!rc)
        rc = find_side(c, c->argv[0], NULL, &one);
    c->err.rc = BOUGH_OK;
    if (!rc)
        rc = find_side(c, c->argv[1], one.session, &other);
    if (rc)
        return rc;
    how = (struct bough_tree_diff_options){ .session = one.session,
                                            .one = one.entry,
                                            .other_session = other.session,
                                            .other = other.entry };
    if (bough_tree_diff(c->s, c->a, &how, &d, &c->err))
        return cli_failed(c);
    one.adds = &d.one;
    other.adds = &d.other;
    add_up(c, &one);
    add_up(c, &other);
    cli_page(c);
    if (!c->out.json) {
        put_text(c, &d, &one, &other);
        return CLI_DONE;
    }
    w = out_json(&c->out);
    jw_obj(w);
    jw_kv_cstr(w, "common", d.common ? d.common->id : NULL);
    json_side(w, "one", &one);
    json_side(w, "other", &other);
    jw_end_obj(w);
    out_json_end(&c->out);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_diff = {
    .name = "diff",
    .args = "<one> <other>",
    .summary = "compare two branches, entries or sessions",
    .options = options,
    .run = run,
    .about = "Each argument is a session (its head), an entry, or SESSION:ENTRY. Shows the last "
             "common entry (=), the entries each side adds (< and >), the files its tools touched, "
             "tokens and cost.",
    .columns = "mark (= < >), #branch.depth, id, role, text; then mark and \"file\", path",
    .fields = "common, one and other (session, entries, used, files)",
    .examples = "bough diff cache-bug cache-bug-2  # a session and its fork\n"
                "bough diff '#1.8' '#3.5'  # two branches",
};
