/* Compute the seen rows of a session again: its branches in order, the chain along each. */
#include "store/seen/trace.h"

#include <string.h>

#include "base/json/json.h"
#include "base/memory/map.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/match/chain.h"
#include "core/match/window.h"
#include "core/pack/bodies.h"
#include "core/part/view.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/seen/stored.h"

/* A call of an exchange. */
struct traced_call {
    int64_t ord, scope;
    unsigned char chain[SEEN_KEY];
    bool noted;    /* `chain` is the key: the request did not have the history of its path */
    bool answered; /* its reply has passed; what else has this call is a sibling */
};

/* The chain at the entry that a branch hangs on. */
struct fork_point {
    struct chain chain;
    bool known, passed;
    size_t next; /* index + 1 of the next branch that hangs on this entry */
};

struct tracing {
    struct snap *snap;
    const struct trace *to;
    int64_t sid;
    struct bough_arena *keep, *tmp; /* tmp is reset at every message */
    struct traced_call *calls;
    size_t ncalls;
    struct branch_row *branches;
    size_t nbranches;
    struct fork_point *forks; /* one for each branch */
    struct map hang;          /* bid << 32 | depth -> index + 1 of a branch that hangs on it */
    struct chain chain;       /* behind the last message */
    bool known;               /* it is */
    struct bough_error *err;
    enum bough_rc rc;
};

/* ---- calls and branches ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The key that the notes of a call give. */
static bool noted_chain(struct bough_arena *a, struct bough_str notes, unsigned char out[SEEN_KEY])
{
    struct bough_str hex;
    struct json root;

    if (!notes.n || json_parse(a, notes, &root, NULL) ||
        !json_str(a, json_member(root, "chain"), &hex) || hex.n != (size_t)2 * SEEN_KEY)
        return false;
    for (size_t i = 0; i < SEEN_KEY; i++) {
        int high = hex_digit(hex.p[2 * i]), low = hex_digit(hex.p[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static bool each_call(void *user, const struct record_row *row)
{
    struct tracing *t = user;
    struct traced_call *c;
    struct call_body b;

    bough_arena_reset(t->tmp);
    if (body_read(call_fields, row->body, &b, NULL) || !b.scope)
        return true;
    t->calls = mem_room(t->calls, t->ncalls, sizeof *t->calls);
    c = &t->calls[t->ncalls++];
    *c = (struct traced_call){ .ord = row->ord, .scope = b.scope };
    c->noted = noted_chain(t->tmp, b.notes, c->chain);
    return true;
}

static struct traced_call *call_of(const struct tracing *t, int64_t ord)
{
    size_t low = 0, high = t->ncalls;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (t->calls[mid].ord < ord)
            low = mid + 1;
        else
            high = mid;
    }
    return ord && low < t->ncalls && t->calls[low].ord == ord ? &t->calls[low] : NULL;
}

static bool each_branch(void *user, const struct branch_row *b)
{
    struct tracing *t = user;

    t->branches = mem_room(t->branches, t->nbranches, sizeof *t->branches);
    t->branches[t->nbranches++] = *b;
    return true;
}

/* ---- the chain ---- */

static void restart(struct tracing *t)
{
    chain_finish(&t->chain);
    chain_init(&t->chain);
    t->known = true;
}

/* The chain behind a path as a client sees it. */
static void read_path(struct tracing *t, struct bough_head end)
{
    struct bough_arena *a = bough_arena_create();
    struct stored s;
    enum bough_rc rc = stored_read(t->snap, a, end, STORED_DELETED, &s, t->err);

    restart(t);
    for (size_t i = 0; i < s.h.units.n && !rc; i++)
        chain_add(&t->chain, &s.h.units.at[i]);
    t->known = !rc;
    if (rc != BOUGH_CORRUPT && rc != BOUGH_NOT_FOUND) /* damage is no failure */
        t->rc = rc;
    bough_arena_destroy(a);
}

static uint64_t slot(int64_t bid, int64_t depth)
{
    return (uint64_t)bid << 32 | (uint64_t)depth;
}

/* Keep the chain for the branches that hang on this entry. */
static void pass(struct tracing *t, int64_t bid, int64_t depth)
{
    uint64_t at = 0;

    (void)map_get(&t->hang, slot(bid, depth), &at);
    for (; at; at = t->forks[at - 1].next) {
        struct fork_point *p = &t->forks[at - 1];

        p->passed = true;
        p->known = t->known;
        chain_finish(&p->chain);
        chain_copy(&p->chain, &t->chain);
    }
}

/* Note which branches hang on which entries. */
static void prepare_forks(struct tracing *t)
{
    t->forks = mem_zalloc((t->nbranches + 1) * sizeof *t->forks);
    for (size_t i = 0; i < t->nbranches; i++) {
        uint64_t before = 0, key = slot(t->branches[i].parent, t->branches[i].base);

        chain_init(&t->forks[i].chain);
        (void)map_get(&t->hang, key, &before);
        t->forks[i].next = (size_t)before;
        map_put(&t->hang, key, i + 1);
    }
}

static void begin_branch(struct tracing *t, size_t i)
{
    const struct branch_row *b = &t->branches[i];

    if (!b->parent) {
        restart(t);
    } else if (t->forks[i].passed) {
        chain_finish(&t->chain);
        chain_copy(&t->chain, &t->forks[i].chain);
        t->known = t->forks[i].known;
    } else { /* it hangs on another session */
        read_path(t, (struct bough_head){ b->parent, b->base });
    }
}

/* ---- entries ---- */

static void tell(struct tracing *t, const struct traced_call *c, const struct bough_entry *e)
{
    struct seen_mark *marks;
    size_t n;

    if ((c->noted && c->answered) || (!c->noted && !t->known)) {
        if (t->to->unknown)
            t->to->unknown(t->to->user, e->at.branch, e->at.depth);
        return;
    }
    marks = seen_marks(t->tmp, c->scope, &t->chain, e, &n);
    for (size_t i = 0; i < n; i++) {
        struct seen_row row = {
            .no = e->no, .bid = e->at.branch, .depth = e->at.depth, .strict = marks[i].strict
        };

        memcpy(row.key, marks[i].key, sizeof row.key);
        if (marks[i].chain && c->noted) {
            memcpy(row.key, c->chain, sizeof row.key);
            row.strict = 0;
        }
        t->to->row(t->to->user, &row);
    }
}

static void add_message(struct tracing *t, const struct bough_entry *e, int64_t call)
{
    struct traced_call *c = call_of(t, call);
    struct units u = { .a = t->tmp };

    if (c)
        tell(t, c, e);
    if (c)
        c->answered = true;
    units_add(&u, e, true);
    units_end(&u);
    for (size_t i = 0; i < u.n; i++)
        chain_add(&t->chain, &u.at[i]);
}

static bool each_entry(void *user, const struct entry_row *row)
{
    struct tracing *t = user;
    struct pack_head head;
    struct bough_entry e;
    enum bough_rc rc;

    bough_arena_reset(t->tmp);
    rc = pack_entry_head(row->body, &head) ? BOUGH_OK : BOUGH_CORRUPT;
    if (!rc)
        rc = entry_fill(t->snap, t->tmp, row, t->sid, "", &e, t->err);
    if (rc) {
        t->known = false;
        t->rc = rc == BOUGH_CORRUPT || rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
    } else if (e.kind == BOUGH_ENTRY_MESSAGE) {
        add_message(t, &e, head.call_ord);
    } else if (e.kind == BOUGH_ENTRY_COMPACTION && window_has(&e)) {
        read_path(t, (struct bough_head){ row->bid, row->depth });
    }
    if (!t->rc)
        pass(t, row->bid, row->depth);
    return !t->rc;
}

static enum bough_rc walk(struct tracing *t)
{
    enum bough_rc rc = BOUGH_OK;

    prepare_forks(t);
    for (size_t i = 0; i < t->nbranches && !rc; i++) {
        struct entry_range range = { .bid = t->branches[i].bid,
                                     .from = t->branches[i].base + 1,
                                     .to = INT64_C(0xffffffff),
                                     .deleted = true };

        begin_branch(t, i);
        rc = t->rc;
        if (!rc)
            rc = t->snap->ops->entry_scan(t->snap->v, &range, each_entry, t, t->err);
        rc = rc ? rc : t->rc;
    }
    for (size_t i = 0; i < t->nbranches; i++)
        chain_finish(&t->forks[i].chain);
    return rc;
}

/* ---- the session ---- */

static void tell_key(struct tracing *t, const struct session_body *b)
{
    /* Only sessions with the same key are compared by `no`: a later one has a larger number. */
    struct seen_row row = { .no = t->sid, .depth = t->sid };

    if (!*b->client_key)
        return;
    seen_key(SEEN_CLIENT, b->scope, b->client_key, strlen(b->client_key), row.key);
    t->to->row(t->to->user, &row);
}

enum bough_rc trace_session(struct snap *snap, int64_t sid, const struct trace *to,
                            struct bough_error *err)
{
    struct tracing t = { .snap = snap, .to = to, .sid = sid, .err = err };
    struct session_loaded l;
    enum bough_rc rc;

    t.keep = bough_arena_create();
    t.tmp = bough_arena_create();
    map_init(&t.hang);
    chain_init(&t.chain);
    rc = session_load(snap, t.keep, sid, &l, err);
    if (!rc) {
        tell_key(&t, &l.body);
        rc = snap->ops->record_scan(snap->v, sid, RECORD_CALL, 0, false, each_call, &t, err);
    }
    if (!rc && t.ncalls)
        rc = snap->ops->branch_of(snap->v, sid, each_branch, &t, err);
    if (!rc && t.ncalls)
        rc = walk(&t);
    chain_finish(&t.chain);
    map_finish(&t.hang);
    mem_free(t.calls);
    mem_free(t.branches);
    mem_free(t.forks);
    bough_arena_destroy(t.keep);
    bough_arena_destroy(t.tmp);
    return rc == BOUGH_GONE || rc == BOUGH_NOT_FOUND || rc == BOUGH_CORRUPT ? BOUGH_OK : rc;
}
