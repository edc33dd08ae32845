/* Begin an exchange: find the session and the place, append what is new. Everything is decided on a
 * snapshot and written under guards; when another request was faster, it is decided again. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/pack/spend.h"
#include "store/exchange/beginning.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

enum { KEY_MOST = 512 };

/* ---- arguments ---- */

static enum bough_rc check_options(const struct bough_exchange_begin_options *in,
                                   struct bough_error *err)
{
    const struct {
        const char *what, *text;
        int64_t most;
    } texts[] = {
        { "the key", in->key, KEY_MOST },
        { "the parent's key", in->parent_key, KEY_MOST },
        { "the purpose", in->purpose, LIMIT_NAME },
        { "the client", in->client, LIMIT_NAME },
        { "the project", in->project, LIMIT_PATH },
        { "the account", in->account, LIMIT_NAME },
        { "the model's provider", in->model_provider, LIMIT_NAME },
        { "the model", in->model_name, LIMIT_NAME },
        { "the id of the response", in->previous, LIMIT_NAME },
        { "the id of the request", in->id, LIMIT_NAME },
    };
    enum bough_rc rc = RESERVED_CHECK(bough_exchange_begin_options, in, err);

    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = check_text(texts[i].what, texts[i].text, texts[i].most, err);
    if (!rc)
        rc = check_object("the parameters", in->parameters, LIMIT_DATA, err);
    for (size_t i = 0; i < in->nsystem && !rc; i++)
        rc = check_json("the system text", in->system[i], LIMIT_DATA, err);
    return rc;
}

/* A session of another project is not there for this caller. */
static enum bough_rc find_explicit(struct beginning *b)
{
    struct session_loaded l;
    struct snap snap;
    const char *project = "";
    int64_t sid;
    enum bough_rc rc = snap_begin(b->s, &snap, b->err);

    if (rc)
        return rc;
    rc = find_session(&snap, b->in->session, &sid, b->err);
    if (!rc)
        rc = session_load(&snap, b->a, sid, &l, b->err);
    if (!rc)
        rc = snap_group(&snap, b->a, RECORD_PROJECT, l.body.project, &project, b->err);
    snap_end(&snap);
    if (rc)
        return rc;
    if (l.head.row.deleted || (!cstr_empty(b->in->project) && strcmp(project, b->in->project) != 0))
        return bough_fail(b->err, BOUGH_NOT_FOUND, "there is no session %.80s", b->in->session);
    if (check_writable(&l.head.row, b->err))
        return BOUGH_ARCHIVED;
    b->explicit = b->given = sid;
    return BOUGH_OK;
}

/* ---- budgets ---- */

/* Make a session. Budgets are asked before, so that a call that is refused leaves no empty one. */
static enum bough_rc make(struct beginning *b, const struct making *m, int64_t *sid)
{
    struct payer payer = {
        .sid = m->of, .tree = m->parent, .project = b->in->project, .account = b->in->account
    };
    enum bough_rc rc =
        b->in->budget ? budget_reserve(b->s, &payer, b->in->budget, NULL, b->err) : BOUGH_OK;

    return rc ? rc : exchange_make(b->s, b->a, m, sid, b->err);
}

/* Reserve what the call may cost. When the place is decided again, the reservation stays if it is
 * in the same session. */
static enum bough_rc reserve(struct beginning *b)
{
    struct payer payer = { .sid = b->w.sid, .tree = b->w.sid };
    enum bough_rc rc;

    if (!b->in->budget || b->held == b->w.sid)
        return BOUGH_OK;
    exchange_release(b->s, b->x);
    rc = budget_reserve(b->s, &payer, b->in->budget, b->x->hold, b->err);
    b->held = rc ? 0 : b->w.sid;
    return rc;
}

/* ---- side sessions ---- */

/* The key under which a side session is found: of its main session and purpose. Without a main
 * session there is one for each day. */
static const char *side_key(struct beginning *b, const char *main_key, int64_t main)
{
    const char *purpose = b->in->purpose;

    if (main_key)
        return arena_printf(b->a, "\x1fside\x1f%s\x1f%s", purpose, main_key);
    if (main)
        return arena_printf(b->a, "\x1fside\x1f%s\x1f#%lld", purpose, (long long)main);
    return arena_printf(b->a, "\x1fside\x1f%s\x1f@%lld", purpose,
                        (long long)spend_day(env_now(&b->s->e->env)));
}

/* The session with this key, made empty if it is new. */
static enum bough_rc session_for_key(struct beginning *b, const struct making *how, int64_t *sid)
{
    struct making m = *how;
    struct snap snap;
    enum bough_rc rc = snap_begin(b->s, &snap, b->err);

    if (rc)
        return rc;
    rc = seen_session(&snap, b->a, b->scope, m.key, sid, &m.key_no, b->err);
    snap_end(&snap);
    if (rc || *sid)
        return rc;
    m.in = b->in;
    m.scope = b->scope;
    return make(b, &m, sid);
}

static enum bough_rc go_aside(struct beginning *b)
{
    struct making m = { .role_name = b->in->purpose };
    int64_t main = b->explicit;
    enum bough_rc rc = BOUGH_OK;

    if (!main && b->in->key)
        rc = session_for_key(b, &(struct making){ .key = b->in->key }, &main);
    if (rc)
        return rc;
    m.key = side_key(b, b->in->key, main);
    m.parent = main;
    m.of = main;
    rc = session_for_key(b, &m, &b->given);
    b->w = (struct where){ .how = BOUGH_EXCHANGE_SIDE, .sid = b->given, .exact = true };
    return rc;
}

/* ---- deciding ---- */

/* Is the place at the head of its session, which has no key? Then the session gets this one. */
static enum bough_rc can_adopt(struct beginning *b, struct snap *snap, bool *can)
{
    struct session_loaded l;
    enum bough_rc rc = session_load(snap, b->a, b->w.sid, &l, b->err);
    int64_t owner = 0;

    *can = false;
    if (rc || *l.body.client_key || l.head.row.status == BOUGH_STATUS_ARCHIVED ||
        l.row.kind != BOUGH_PRIMARY)
        return rc;
    if (l.head.row.bid)
        rc = path_owner(snap, (struct bough_head){ l.head.row.bid, l.head.depth }, l.head.depth,
                        &owner, b->err);
    *can = !rc && owner == b->w.at.branch && l.head.depth == b->w.at.depth;
    return rc;
}

/* Remember the head that the decision knows: begin_write() refuses if it has moved. */
static enum bough_rc note_head(struct beginning *b, struct snap *snap, int64_t sid)
{
    struct session_loaded l;
    enum bough_rc rc = session_load(snap, b->a, sid, &l, b->err);

    if (rc)
        return rc;
    b->decided = sid;
    b->decided_head = (struct bough_head){ l.head.row.bid, l.head.depth };
    return BOUGH_OK;
}

/* A request with a key that is not known, or without one, whose content was found. */
static enum bough_rc found_by_content(struct beginning *b, struct snap *snap, int64_t key_no)
{
    struct session_loaded l;
    bool can = false;
    enum bough_rc rc;

    if (b->in->key) {
        rc = can_adopt(b, snap, &can);
        snap_end(snap);
        if (!rc && can) {
            b->out.adopted = true;
            rc = exchange_adopt(b->s, b->a, b->w.sid, b->scope, b->in->key, key_no, b->err);
        } else if (!rc) {
            b->fork = b->w.at;
        }
        return rc;
    }
    rc = session_load(snap, b->a, b->w.sid, &l, b->err);
    if (!rc && l.head.row.status == BOUGH_STATUS_ARCHIVED)
        b->fork = b->w.at;
    snap_end(snap);
    return rc;
}

static enum bough_rc make_session(struct beginning *b, int64_t key_no)
{
    struct making m = { .in = b->in,
                        .scope = b->scope,
                        .key = b->in->key,
                        .key_no = key_no,
                        .fork = b->fork,
                        .forked = b->fork.branch ? b->w.sid : 0 };
    enum bough_rc rc = BOUGH_OK;

    if (!m.fork.branch && b->in->parent_key)
        rc = session_for_key(b, &(struct making){ .key = b->in->parent_key }, &m.parent);
    m.of = m.fork.branch ? m.forked : m.parent;
    if (!rc)
        rc = make(b, &m, &b->made);
    if (rc)
        return rc;
    b->out.made = true;
    b->out.forked = m.fork.branch != 0;
    b->out.subagent = m.parent != 0;
    b->w.sid = b->given = b->made;
    b->fork = (struct bough_head){ 0, 0 };
    return BOUGH_OK;
}

/* The session that the client names: by the response it goes on from, or by its key. */
static enum bough_rc find_named(struct beginning *b, struct snap *snap, struct bough_head *behind,
                                int64_t *key_no)
{
    struct branch_row row = { 0 };
    bool found = false;
    enum bough_rc rc = BOUGH_OK;

    *behind = (struct bough_head){ 0, 0 };
    if (!cstr_empty(b->in->previous))
        rc = seen_response(snap, b->scope, b->in->previous, behind, &found, b->err);
    if (!rc && found)
        rc = snap_branch(snap, behind->branch, &row, b->err);
    if (!rc && found && !b->given)
        b->given = row.sid;
    if (!rc && found && b->given != row.sid) /* of another session than the one that was named */
        *behind = (struct bough_head){ 0, 0 };
    if (!rc && b->in->key) {
        int64_t sid;

        rc = seen_session(snap, b->a, b->scope, b->in->key, &sid, key_no, b->err);
        b->given = b->given ? b->given : sid;
    }
    return rc;
}

/* The request goes on from a response, and holds only what is new. */
static void place_behind(struct beginning *b, struct bough_head behind)
{
    b->w = (struct where){
        .how = BOUGH_EXCHANGE_APPENDED, .sid = b->given, .at = behind, .reply = behind
    };
}

static enum bough_rc decide_by_content(struct beginning *b, struct snap *snap, int64_t key_no)
{
    struct anchor anchor;
    bool found = false;
    int64_t first = 0;
    enum bough_rc rc = seen_anchor(snap, b->a, &b->sent, b->scope, 0, &anchor, b->err);

    if (!rc)
        rc = decide_anchored(snap, b->a, &b->sent, &anchor, &b->w, &found, b->err);
    if (!rc && found)
        rc = note_head(b, snap, b->w.sid);
    if (!rc && found)
        return found_by_content(b, snap, key_no);
    if (!rc && !b->in->key)
        rc = seen_first(snap, b->a, b->scope, &b->sent, env_now(&b->s->e->env), &first, b->err);
    if (!rc && first) {
        b->by_first = true;
        b->given = first;
        rc = decide_given(snap, b->a, &b->sent, first, PLACE_BY_KEY,
                          &(struct anchor){ .found = false }, &b->w, b->err);
    } else if (!rc) {
        b->w = (struct where){ .how = BOUGH_EXCHANGE_NEW, .exact = true };
    }
    snap_end(snap);
    return rc;
}

/* The session is given: where in it? */
static enum bough_rc decide_in_session(struct beginning *b, struct snap *snap,
                                       struct bough_head behind)
{
    enum place_given given = b->given == b->explicit ? PLACE_EXPLICIT : PLACE_BY_KEY;
    struct anchor anchor;
    enum bough_rc rc;

    if (behind.branch) {
        place_behind(b, behind);
        snap_end(snap);
        return BOUGH_OK;
    }
    rc = note_head(b, snap, b->given);
    if (!rc)
        rc = seen_anchor(snap, b->a, &b->sent, b->scope, b->given, &anchor, b->err);
    if (!rc)
        rc = decide_given(snap, b->a, &b->sent, b->given, given, &anchor, &b->w, b->err);
    snap_end(snap);
    return rc;
}

/* Was a reply of the main conversation recognised? */
static bool in_main(const struct where *w)
{
    return w->at.branch && w->units && w->how != BOUGH_EXCHANGE_BEHIND &&
           w->how != BOUGH_EXCHANGE_ROOT && w->how != BOUGH_EXCHANGE_NEW;
}

static enum bough_rc decide(struct beginning *b)
{
    bool compaction = cstr_eq(b->in->purpose, "compaction");
    struct bough_head behind;
    int64_t key_no = 0;
    struct snap snap;
    enum bough_rc rc;

    b->given = b->made ? b->made : b->explicit;
    b->decided = 0;
    b->by_first = b->keep_head = false;
    if (!cstr_empty(b->in->purpose) && !compaction)
        return go_aside(b);
    rc = snap_begin(b->s, &snap, b->err);
    if (!rc)
        rc = find_named(b, &snap, &behind, &key_no);
    if (!rc && b->given)
        rc = decide_in_session(b, &snap, behind);
    else if (!rc)
        rc = decide_by_content(b, &snap, key_no);
    snap_end(&snap);
    if (rc)
        return rc;
    if (compaction && !in_main(&b->w))
        return go_aside(b);
    b->keep_head = compaction;
    if (!b->made && (b->w.how == BOUGH_EXCHANGE_NEW || b->fork.branch))
        return make_session(b, key_no);
    return BOUGH_OK;
}

/* ---- the call ---- */

static void keep_fresh(struct beginning *b)
{
    struct bough_exchange *x = b->x;

    x->nfresh = b->in->nhistory - b->w.message;
    x->fresh = arena_array(x->a, x->nfresh + 1, sizeof *x->fresh);
    for (size_t i = 0; i < x->nfresh; i++) {
        const struct bough_entry_new *in = &b->in->history[b->w.message + i];
        struct bough_str *parts = arena_array(x->a, in->nparts + 1, sizeof *parts);

        for (size_t k = 0; k < in->nparts; k++)
            parts[k] = arena_str(x->a, in->parts[k]);
        x->fresh[i] = (struct bough_entry_new){ .role = in->role,
                                                .text = arena_strdup(x->a, in->text),
                                                .parts = parts,
                                                .nparts = in->nparts,
                                                .time = in->time ? in->time : b->in->time,
                                                .data = arena_str(x->a, in->data),
                                                .metadata = arena_str(x->a, in->metadata) };
    }
}

/* A reference stands for units that are not in the request, so its chain is not that of the path.
 */
static bool has_references(const struct units *u)
{
    for (size_t i = 0; i < u->n; i++)
        if (u->at[i].kind == UNIT_REF)
            return true;
    return false;
}

/* The chain that the reply follows. BEHIND: it goes on from the whole path, so that a later request
 * with all of it is found. */
static void give_chain(const struct beginning *b, struct bough_exchange *x)
{
    const struct units *sent = &b->sent.h.units, *path;

    x->chained = true;
    x->whole = b->sent.whole;
    if (b->w.how != BOUGH_EXCHANGE_BEHIND || !b->w.stored) {
        chain_copy(&x->chain, &b->sent.chain);
        return;
    }
    path = &b->w.stored->h.units;
    chain_init(&x->chain);
    for (size_t i = 0; i < path->n; i++)
        chain_add(&x->chain, &path->at[i]);
    for (size_t i = 0; i < sent->n; i++)
        chain_add(&x->chain, &sent->at[i]);
    x->whole = chain_link(&x->chain, path->n + sent->n);
}

static enum bough_rc give(struct beginning *b)
{
    struct bough_exchange *x = b->x;
    struct snap snap;
    enum bough_rc rc = snap_begin(b->s, &snap, b->err);

    if (rc)
        return rc;
    rc = session_id(&snap, x->a, b->w.sid, &x->session, b->err);
    snap_end(&snap);
    if (rc)
        return rc;
    x->sid = b->w.sid;
    x->at = b->w.at;
    x->root = !b->w.at.branch;
    x->keep_head = b->keep_head;
    x->exact = b->w.exact && !has_references(&b->sent.h.units);
    x->first = begin_is_first(b);
    give_chain(b, x);
    keep_fresh(b);
    b->out.how = b->w.how == BOUGH_EXCHANGE_NEW || (b->out.made && !b->out.forked)
                     ? BOUGH_EXCHANGE_NEW
                     : b->w.how;
    b->out.session = x->session;
    b->out.at = x->at;
    b->out.from = b->w.from;
    b->out.id = x->id;
    return BOUGH_OK;
}

static void name_request(struct beginning *b)
{
    char id[BOUGH_ID_LEN + 1];

    if (cstr_empty(b->in->id))
        bough_id_new(id);
    b->x->id = arena_strdup(b->x->a, cstr_empty(b->in->id) ? id : b->in->id);
    b->x->purpose = arena_strdup(b->x->a, b->in->purpose ? b->in->purpose : "");
    b->x->scope = b->scope;
}

static enum bough_rc attempt(struct beginning *b)
{
    bool made = b->out.made, forked = b->out.forked, subagent = b->out.subagent,
         adopted = b->out.adopted;
    enum bough_rc rc;

    b->out = (struct bough_exchange_begin_result){
        .made = made, .forked = forked, .subagent = subagent, .adopted = adopted
    };
    rc = decide(b);
    if (!rc)
        rc = reserve(b);
    if (!rc)
        rc = begin_write(b);
    return rc ? rc : give(b);
}

enum bough_rc bough_exchange_begin(struct bough_store *s,
                                   const struct bough_exchange_begin_options *in,
                                   struct bough_exchange **out,
                                   struct bough_exchange_begin_result *result,
                                   struct bough_error *err)
{
    REQUIRE(s && in && out && (in->history || !in->nhistory) && (in->system || !in->nsystem), err);

    struct deadline p = store_deadline(s);
    struct bough_exchange *x = NULL;
    struct beginning b = { .s = s, .in = in, .a = bough_arena_create(), .err = err };
    enum bough_rc rc = check_options(in, err);

    if (!rc) {
        x = b.x = mem_zalloc(sizeof *x);
        x->a = bough_arena_create();
        b.scope = seen_scope(s->principal, in->project ? in->project : "");
        name_request(&b);
        rc = sent_read(b.a, in, &b.sent, err);
        if (!rc && !cstr_empty(in->session))
            rc = find_explicit(&b);
        if (!rc)
            do
                rc = attempt(&b);
            while (rc == BOUGH_CONFLICT && !deadline_passed(&p));
        if (rc)
            exchange_release(s, x);
        sent_finish(&b.sent);
    }
    bough_arena_destroy(b.a);
    if (rc) {
        bough_exchange_destroy(x);
        return rc;
    }
    *out = x;
    if (result)
        *result = b.out;
    return BOUGH_OK;
}

void bough_exchange_destroy(struct bough_exchange *x)
{
    if (!x)
        return;
    if (x->chained)
        chain_finish(&x->chain);
    bough_arena_destroy(x->a);
    mem_free(x);
}
