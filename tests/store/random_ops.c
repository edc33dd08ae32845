/* Random operations on sessions and notes; appends are in random_append.c. */
#include "store/random_ops.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

const char *pick(struct random *r, const char *const *words, size_t n)
{
    return words[draw(r, n)];
}

static const char *const titles[] = { "",      "Alpha one", "alpha two", "beta",
                                      "Gamma", "delta ä",   "!!!",       "a b c" };
static const char *const projects[] = { "", "", "/p/1", "/p/2", "/p/3" };
static const char *const wrong[] = {
    "", "no such thing", "#99999", "#1.99999", "#0.0", "alpha", "01HHHHHHHHHHHHHHHHHHHHHHHH", "c3"
};

#define PICK(r, words) pick(r, words, sizeof(words) / sizeof *(words))

static size_t some_session(struct random *r)
{
    size_t recent = r->sessions < 25 ? r->sessions : 25;

    return chance(r, 75) ? r->sessions - 1 - (size_t)draw(r, recent) : (size_t)draw(r, r->sessions);
}

size_t any_session(struct random *r)
{
    size_t s = NONE;

    if (!r->sessions || chance(r, 2))
        return NONE;
    for (int i = 0; i < 6; i++) {
        s = some_session(r);
        if (!r->purged[s])
            return s;
    }
    return s;
}

/* True if the session wrote the entry or may have inherited it. */
static bool may_show(const struct random *r, size_t session, size_t entry)
{
    for (; session != NONE; session = r->forked_from[session])
        if (r->entry_session[entry] == session)
            return true;
    return false;
}

size_t any_entry(struct random *r, size_t session)
{
    size_t recent = r->entries < 600 ? r->entries : 600, e = NONE;

    if (!r->entries || chance(r, 3))
        return NONE;
    for (int i = 0; i < 200; i++) {
        e = r->entries - 1 - (size_t)draw(r, recent);
        if (may_show(r, session, e))
            return e;
    }
    return e;
}

const char *session_text(struct random *r, struct world *w, size_t session, uint64_t form)
{
    struct bough_session *s;

    if (session == NONE)
        return wrong[form % (sizeof wrong / sizeof *wrong)];
    if (form % 16 == 0 &&
        bough_session_get(w->store, w->arena, w->session[session], &s, NULL) == BOUGH_OK)
        return s->slug;
    (void)r;
    return w->session[session];
}

const char *entry_text(struct random *r, struct world *w, size_t entry, uint64_t form)
{
    if (entry == NONE && form % 3 == 0 && r->sessions) /* a session's id instead of an entry's */
        return w->session[form % r->sessions];
    if (entry == NONE)
        return wrong[form % (sizeof wrong / sizeof *wrong)];
    if (form % 16 == 0)
        return arena_printf(w->arena, "#%lld.%lld", (long long)w->at[entry].branch,
                            (long long)w->at[entry].depth);
    if (form % 16 == 1)
        return arena_printf(w->arena, "c%llu", (unsigned long long)(form / 16 % 12));
    return w->entry[entry];
}

struct bough_totals any_totals(struct random *r, bool negative)
{
    struct bough_totals t = { .input = (int64_t)draw(r, 1000),
                              .output = (int64_t)draw(r, 100),
                              .reasoning = (int64_t)draw(r, 10),
                              .cache_read = (int64_t)draw(r, 10),
                              .cache_write = (int64_t)draw(r, 10),
                              .cost = (int64_t)draw(r, 1000000) };

    if (negative && chance(r, 30))
        t.cost = -t.cost;
    if (chance(r, 1))
        t.output = INT64_MAX - (int64_t)draw(r, 3);
    return t;
}

static void keep_session(struct random *r, size_t forked_from)
{
    if (r->w[0]->rc || r->sessions == MOST_SESSIONS)
        return;
    r->forked_from[r->sessions++] = forked_from;
}

static void answer_session(struct random *r, struct world *w, struct bough_session *s)
{
    if (w->rc)
        return;
    put_session(w, s);
    if (r->sessions < MOST_SESSIONS)
        memcpy(w->session[r->sessions], s->id, sizeof s->id);
}

/* --- sessions --- */

static void op_create(struct random *r)
{
    bool child = chance(r, 30), fork = child && chance(r, 40);
    size_t parent = child ? any_session(r) : NONE, entry = any_entry(r, parent);
    uint64_t form = draw(r, 1000);
    struct bough_session_create_options in = {
        .title = PICK(r, titles),
        .kind = child && !fork ? BOUGH_SUBAGENT : BOUGH_PRIMARY,
        .project = PICK(r, projects),
        .workspace = chance(r, 10) ? "w1" : NULL,
        .account = chance(r, 10) ? "me" : NULL,
        .slug = chance(r, 3) ? "slug-3" : NULL,
        .system_prompt = chance(r, 30) ? "be nice" : NULL,
        .model_name = chance(r, 20) ? "m1" : NULL,
        .totals_mode = chance(r, 10) ? BOUGH_TOTALS_MANUAL : BOUGH_TOTALS_AUTO,
        .data = chance(r, 10) ? str_of("{\"a\":1}") : str_of(""),
        .metadata = chance(r, 3) ? str_of("[1]") : str_of(""),
        .created = chance(r, 10) ? 1600000000000 + (int64_t)draw(r, 5) : 0,
        .require = (unsigned)(chance(r, 5) ? draw(r, 4) : 0),
        .parent_tool_use_id = chance(r, 5) ? "tool 1" : NULL,
    };
    char id[16];

    snprintf(id, sizeof id, "s-%llu", (unsigned long long)draw(r, 200));
    in.id = chance(r, 10) ? id : NULL;
    EACH(r, w)
    {
        struct bough_session *s;

        in.parent = child ? session_text(r, w, parent, form) : NULL;
        in.fork_entry = fork ? entry_text(r, w, entry, form) : NULL;
        w->rc = bough_session_create(w->store, w->arena, &in, &s, &w->err);
        answer_session(r, w, s);
    }
    keep_session(r, fork ? parent : NONE);
}

static void op_fork(struct random *r)
{
    size_t from = any_session(r), entry = any_entry(r, from);
    uint64_t form = draw(r, 1000);
    bool at_head = chance(r, 30);
    struct bough_session_fork_options how = { .before = chance(r, 25),
                                              .copy = chance(r, 15),
                                              .title = chance(r, 40) ? PICK(r, titles) : NULL,
                                              .model_name = chance(r, 10) ? "m2" : NULL };
    char id[16];

    snprintf(id, sizeof id, "s-%llu", (unsigned long long)draw(r, 200));
    how.id = chance(r, 5) ? id : NULL;
    EACH(r, w)
    {
        struct bough_session *s;

        how.entry = at_head ? NULL : entry_text(r, w, entry, form);
        w->rc = bough_session_fork(w->store, w->arena, session_text(r, w, from, form), &how, &s,
                                   &w->err);
        answer_session(r, w, s);
    }
    keep_session(r, how.copy ? NONE : from);
}

#define OP_ON_SESSION(name, call)                                                                  \
    static void name(struct random *r)                                                             \
    {                                                                                              \
        size_t s = any_session(r);                                                                 \
        uint64_t form = draw(r, 1000);                                                             \
        EACH(r, w)                                                                                 \
        {                                                                                          \
            const char *id = session_text(r, w, s, form);                                          \
            w->rc = call(w->store, id, &w->err);                                                   \
        }                                                                                          \
    }

OP_ON_SESSION(op_delete, bough_session_delete)
OP_ON_SESSION(op_restore, bough_session_restore)
OP_ON_SESSION(op_archive, bough_session_archive)
OP_ON_SESSION(op_unarchive, bough_session_unarchive)
OP_ON_SESSION(op_clear, bough_session_clear)
OP_ON_SESSION(op_reset, bough_head_reset)

static void op_status(struct random *r)
{
    static const char *const owners[] = { "alice", "bob", "" };
    size_t s = any_session(r);
    enum bough_status status = (enum bough_status)draw(r, 5);
    const char *owner = PICK(r, owners);
    int64_t lease = (int64_t)draw(r, 20000);
    uint64_t form = draw(r, 1000);

    EACH(r, w)
    {
        int64_t epoch = -1;

        w->rc = bough_session_status(w->store, session_text(r, w, s, form), status, owner, lease,
                                     &epoch, &w->err);
        buf_printf(&w->out, "epoch %lld\n", (long long)epoch);
    }
}

static void op_rename(struct random *r)
{
    size_t s = any_session(r);
    const char *title = chance(r, 3) ? "bad \xff" : PICK(r, titles);
    uint64_t form = draw(r, 1000);

    EACH(r, w)
    {
        w->rc = bough_session_rename(w->store, session_text(r, w, s, form), title, &w->err);
    }
}

static void op_update(struct random *r)
{
    size_t s = any_session(r);
    uint64_t form = draw(r, 1000);
    struct bough_session_update_options edit = {
        .title = chance(r, 20) ? PICK(r, titles) : NULL,
        .project = chance(r, 20) ? PICK(r, projects) : NULL,
        .workspace = chance(r, 20) ? (chance(r, 50) ? "w1" : "") : NULL,
        .account = chance(r, 20) ? (chance(r, 50) ? "me" : "") : NULL,
        .system_prompt = chance(r, 20) ? (chance(r, 50) ? "be nice" : "") : NULL,
        .role_name = chance(r, 20) ? "coder" : NULL,
        .version = chance(r, 5) ? "2" : NULL,
        .data = chance(r, 20) ? str_of("{\"x\":[1,2]}") : str_of(""),
        .metadata = chance(r, 3) ? str_of("{") : str_of(""),
    };

    EACH(r, w)
    {
        w->rc = bough_session_update(w->store, session_text(r, w, s, form), &edit, &w->err);
    }
}

static void op_purge(struct random *r)
{
    size_t s = any_session(r);
    uint64_t form = draw(r, 1000);

    EACH(r, w)
    {
        struct bough_session_purge_result p = { 0 };

        w->rc = bough_session_purge(w->store, w->arena, session_text(r, w, s, form), &p, &w->err);
        buf_printf(&w->out, "purged %lld %lld kept %lld by", (long long)p.entries,
                   (long long)p.records, (long long)p.kept);
        for (size_t i = 0; i < p.nkeepers; i++)
            buf_printf(&w->out, " %s", name_of(w, p.keepers[i]));
        for (size_t i = 0; i < p.ndetached; i++)
            buf_printf(&w->out, " detached %s", name_of(w, p.detached[i]));
    }
    if (s != NONE && !r->w[0]->rc)
        r->purged[s] = true;
}

static void op_group_delete(struct random *r)
{
    static const char *const kinds[] = { "workspace", "account", "project", "planet" };
    static const char *const names[] = { "w1", "me", "/p/2", "/p/9" };
    size_t k = (size_t)draw(r, 4);

    if (k == 2 && chance(r, 80))
        k = 0;
    EACH(r, w)
    {
        int64_t n = 0;

        w->rc = bough_group_delete(w->store, kinds[k], names[k], &n, &w->err);
        buf_printf(&w->out, "%lld sessions\n", (long long)n);
    }
}

/* --- notes --- */

static void op_label(struct random *r)
{
    static const char *const labels[] = { "", "here", "there", "bad \xc3" };
    size_t s = any_session(r), e = any_entry(r, s);
    const char *text = PICK(r, labels);
    uint64_t form = draw(r, 1000);

    EACH(r, w)
    {
        const char *now = "";

        w->rc = bough_label_set(w->store, session_text(r, w, s, form), entry_text(r, w, e, form),
                                text, &w->err);
        if (!w->rc)
            w->rc = bough_label_get(w->store, w->arena, session_text(r, w, s, form),
                                    entry_text(r, w, e, form), &now, &w->err);
        buf_puts(&w->out, now);
    }
}

static void op_remember(struct random *r)
{
    size_t s = any_session(r);
    uint64_t form = draw(r, 1000);
    struct bough_memory in = { .scope = (enum bough_memory_scope)draw(r, 4),
                               .content = chance(r, 5) ? "  " : "  remember this ",
                               .title = chance(r, 50) ? "title" : NULL };
    const char *project = PICK(r, projects);

    EACH(r, w)
    {
        struct bough_memory *out;

        in.of = in.scope == BOUGH_MEMORY_OF_PROJECT ? project : session_text(r, w, s, form);
        w->rc = bough_memory_add(w->store, w->arena, &in, &out, &w->err);
        if (w->rc)
            continue;
        put_memory(w, out);
        if (r->memories < MOST_RECORDS)
            memcpy(w->memory[r->memories], out->id, sizeof out->id);
    }
    r->memories += !r->w[0]->rc && r->memories < MOST_RECORDS;
}

static void op_forget(struct random *r)
{
    size_t s = any_session(r), m = r->memories ? (size_t)draw(r, r->memories) : NONE;
    enum bough_memory_scope scope = (enum bough_memory_scope)draw(r, 3);
    const char *project = PICK(r, projects);
    uint64_t form = draw(r, 1000);

    EACH(r, w)
    {
        struct bough_memory *out;

        w->rc = bough_memory_forget(w->store, w->arena, scope,
                                    scope == BOUGH_MEMORY_OF_PROJECT ? project
                                                                     : session_text(r, w, s, form),
                                    m == NONE ? "nothing" : w->memory[m], &out, &w->err);
        if (!w->rc)
            put_memory(w, out);
    }
}

static void op_todo(struct random *r)
{
    static const char *const states[] = { "pending", "in_progress", "completed", "cancelled" };
    struct bough_todo items[4] = { 0 };
    size_t s = any_session(r), n = (size_t)draw(r, 5);
    uint64_t form = draw(r, 1000);

    for (size_t i = 0; i < n; i++)
        items[i] = (struct bough_todo){ .content = "do it",
                                        .status = chance(r, 2) ? "later" : PICK(r, states),
                                        .priority = chance(r, 50) ? "high" : NULL };
    EACH(r, w)
    {
        struct bough_todos out = { 0 };

        w->rc = bough_todo_replace(w->store, w->arena, session_text(r, w, s, form), items, n, &out,
                                   &w->err);
        put_todos(w, &out);
    }
}

static void op_call_delete(struct random *r)
{
    size_t c = r->calls && !chance(r, 5) ? (size_t)draw(r, r->calls) : NONE;

    EACH(r, w)
    {
        w->rc = bough_call_delete(w->store, c == NONE ? "nothing" : w->call[c], &w->err);
    }
}

static void op_totals(struct random *r)
{
    struct bough_totals delta = any_totals(r, true);
    size_t s = any_session(r);
    uint64_t form = draw(r, 1000);
    bool up = chance(r, 50);

    EACH(r, w)
    {
        struct bough_totals_propagate_result out = { 0 };

        w->rc = up ? bough_totals_propagate(w->store, w->arena, session_text(r, w, s, form), &delta,
                                            &out, &w->err)
                   : bough_totals_add(w->store, session_text(r, w, s, form), &delta, &w->err);
        for (size_t i = 0; i < out.n && !w->rc; i++) {
            buf_printf(&w->out, "%s cut=%d", name_of(w, out.at[i].id), out.truncated);
            put_totals(w, &out.at[i].rolled);
        }
    }
}

/* --- reading --- */

static void op_list(struct random *r)
{
    struct bough_session_list_options f = { .project = chance(r, 20) ? PICK(r, projects) : NULL,
                                            .kinds = (enum bough_session_kinds)draw(r, 3),
                                            .roots = chance(r, 20),
                                            .status = chance(r, 10)  ? "idle"
                                                      : chance(r, 2) ? "hungry"
                                                                     : NULL,
                                            .active = chance(r, 10),
                                            .include_deleted = chance(r, 30),
                                            .query = chance(r, 20) ? "alpha" : NULL,
                                            .order = (enum bough_session_order)draw(r, 3),
                                            .limit = (int64_t)draw(r, 12) };
    size_t parent = any_session(r);
    bool of = chance(r, 15), model = chance(r, 10);

    f.model_name = model ? "m1" : NULL;
    EACH(r, w)
    {
        struct bough_sessions page;

        f.parent = of ? session_text(r, w, parent, 1) : NULL;
        f.cursor = NULL;
        do {
            w->rc = bough_session_list(w->store, w->arena, &f, &page, &w->err);
            for (size_t i = 0; i < page.n; i++)
                put_session(w, &page.at[i]);
            f.cursor = page.next;
        } while (!w->rc && *page.next && f.limit > 5);
    }
}

static void op_diff(struct random *r)
{
    size_t s = any_session(r), e = any_entry(r, s), o = any_session(r), f = any_entry(r, o);
    uint64_t form = draw(r, 1000);

    EACH(r, w)
    {
        struct bough_tree_diff_options how = { .session = session_text(r, w, s, form),
                                               .one = entry_text(r, w, e, form),
                                               .other_session = session_text(r, w, o, form / 2),
                                               .other = entry_text(r, w, f, form / 2) };
        struct bough_tree_diff_result d;
        struct bough_entries kids;
        enum bough_rc rc;

        w->rc = bough_tree_diff(w->store, w->arena, &how, &d, &w->err);
        if (!w->rc && d.common)
            put_entry(w, d.common);
        if (!w->rc) {
            put_entries(w, &d.one);
            put_entries(w, &d.other);
            put_totals(w, &d.one_used);
            put_totals(w, &d.other_used);
        }
        rc = bough_tree_children(w->store, w->arena, session_text(r, w, s, form),
                                 entry_text(r, w, e, form), &kids, &w->err);
        buf_puts(&w->out, bough_rc_name(rc));
        put_entries(w, &kids);
    }
}

/* --- the store --- */

static void op_upkeep(struct random *r)
{
    unsigned which = (unsigned)draw(r, 3); /* 0, 1: only that world; 2: both */

    for (unsigned i = 0; i < WORLDS; i++)
        if (which == i || which == 2)
            r->w[i]->rc = bough_store_upkeep(r->w[i]->store, &r->w[i]->err);
}

static void op_reopen(struct random *r)
{
    bough_store_close(&r->w[1]->store);
    world_open(r->t, r->w[1]);
}

static const struct {
    const char *name;
    void (*run)(struct random *r);
    unsigned weight;
} ops[] = {
    { "create", op_create, 40 },
    { "fork", op_fork, 40 },
    { "append", op_append, 400 },
    { "record", op_record, 60 },
    { "read", op_read, 60 },
    { "get", op_get, 40 },
    { "head move", op_head_move, 50 },
    { "head reset", op_reset, 8 },
    { "clear", op_clear, 4 },
    { "entry delete", op_entry_delete, 30 },
    { "entry restore", op_entry_restore, 20 },
    { "compact", op_compact, 30 },
    { "branch with summary", op_summary, 20 },
    { "context", op_context, 20 },
    { "delete", op_delete, 10 },
    { "restore", op_restore, 10 },
    { "archive", op_archive, 5 },
    { "unarchive", op_unarchive, 20 },
    { "status", op_status, 20 },
    { "rename", op_rename, 20 },
    { "update", op_update, 20 },
    { "purge", op_purge, 12 },
    { "place delete", op_group_delete, 2 },
    { "label", op_label, 30 },
    { "remember", op_remember, 15 },
    { "forget", op_forget, 10 },
    { "todo", op_todo, 15 },
    { "call delete", op_call_delete, 10 },
    { "totals", op_totals, 25 },
    { "list", op_list, 25 },
    { "diff", op_diff, 25 },
    { "upkeep", op_upkeep, 8 },
    { "reopen", op_reopen, 2 },
};

void random_operation(struct random *r)
{
    unsigned all = 0, x;
    size_t i = 0;

    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        all += ops[k].weight;
    for (x = (unsigned)draw(r, all); x >= ops[i].weight; i++)
        x -= ops[i].weight;
    r->op = r->sessions ? ops[i].name : "create";
    (r->sessions ? ops[i].run : op_create)(r);
}
