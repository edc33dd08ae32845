/* Record an exchange at once, in a session that is given: the full history a client sent, the reply
 * and the call. By the same rules as bough_exchange_begin(). */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/context/normal.h"
#include "core/model/text.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

struct hash {
    unsigned char at[SHA256_LEN];
};

/* One attempt to record. */
struct recording {
    struct bough_store *s;
    struct bough_arena *a;
    int64_t sid;
    const struct bough_record_options *in;
    const struct history *sent, *reply;
    const char *key;
    const struct hash *asked;
    struct bough_error *err;

    struct sent rest;       /* the messages behind the leading system message, if that is skipped */
    size_t skip;            /* 1: the leading system message is the session's prompt, or a note */
    bool note_system;       /* store the skipped one as a note: it is not the prompt */
    struct stored path;     /* to the head */
    struct bough_head head; /* the session's */
    struct where w;
    bool reply_known; /* the reply is stored already */
};

static bool is_system(const struct bough_entry *e)
{
    return e && e->role == BOUGH_ROLE_SYSTEM;
}

static bool equal(const struct bough_entry *a, const struct bough_entry *b)
{
    struct hash x = { { 0 } }, y = { { 0 } };

    normal_message_hash(a, x.at);
    normal_message_hash(b, y.at);
    return memcmp(&x, &y, sizeof x) == 0;
}

/* ---- the place ---- */

static const struct bough_entry *first_message(const struct stored *s)
{
    for (size_t i = 0; i < s->nall; i++)
        if (s->all[i].kind == BOUGH_ENTRY_MESSAGE)
            return &s->all[i];
    return NULL;
}

/* What becomes of the leading system message. */
static void look_at_system(struct recording *r, const char *prompt)
{
    const struct bough_entry *sent = r->sent->n ? r->sent->entries : NULL,
                             *stored = first_message(&r->path);
    struct bough_str text = { "", 0 };

    if (!is_system(sent))
        return;
    if (sent->nparts == 1)
        text = bough_part_plain(r->a, &sent->parts[0]);
    if (*prompt && str_is(text, prompt)) {
        r->skip = 1;
    } else if (stored && (!is_system(stored) || !equal(sent, stored))) {
        /* The stored conversation does not begin with this system message (C9 c, e). It is not a
         * message of the conversation, so store it as a note. */
        r->skip = 1;
        r->note_system = true;
    }
}

/* Only the reply would be appended, but the same reply is already stored there: the exchange was
 * recorded before. */
static enum bough_rc look_for_reply(struct recording *r, struct snap *snap)
{
    struct sent reply = { .h = *r->reply };
    struct where w = { .sid = r->sid, .at = r->w.at };
    bool goes_on;
    enum bough_rc rc;

    if (!r->in->reply || r->w.how != BOUGH_EXCHANGE_SIBLING || !r->w.at.branch)
        return BOUGH_OK;
    rc = where_follow(snap, r->a, &reply, r->sid, &w, &goes_on, r->err);
    r->reply_known = !rc && reply.h.units.n && w.units == reply.h.units.n;
    return rc;
}

static enum bough_rc find_place(struct recording *r, struct snap *snap)
{
    static const struct anchor none;
    struct session_loaded l;
    enum bough_rc rc = session_load(snap, r->a, r->sid, &l, r->err);

    if (rc)
        return rc;
    r->head = (struct bough_head){ l.head.row.bid, l.head.depth };
    rc = stored_read(snap, r->a, r->head, 0, &r->path, r->err);
    if (rc)
        return rc;
    look_at_system(r, l.body.system_prompt);
    r->rest.h =
        (struct history){ .entries = r->sent->entries + r->skip, .n = r->sent->n - r->skip };
    history_units(r->a, &r->rest.h, false);
    r->rest.path = &r->path;
    rc = decide_given(snap, r->a, &r->rest, r->sid, PLACE_EXPLICIT, &none, &r->w, r->err);
    if (r->w.how == BOUGH_EXCHANGE_BEHIND)
        r->w.at = r->path.end;
    return rc ? rc : look_for_reply(r, snap);
}

/* ---- the sent side ---- */

/* Build a plan so that the hashes cover exactly what would be stored. */
static enum bough_rc read_sent(struct bough_store *s, struct bough_arena *a,
                               const struct bough_record_options *in, struct history *sent,
                               struct history *reply, struct bough_error *err)
{
    struct plan plan;
    struct bough_entry_new r;
    struct bough_entry *entries;
    enum bough_rc rc = plan_build(s, a, in->history, in->nhistory, NULL, &plan, err);

    if (rc)
        return rc;
    entries = arena_array(a, in->nhistory + 1, sizeof *entries);
    for (size_t i = 0; i < in->nhistory; i++)
        entries[i] = plan.entries[i].e;
    *sent = (struct history){ .entries = entries, .n = in->nhistory };
    if (!in->reply)
        return BOUGH_OK;
    r = *in->reply;
    r.by_call = false;
    r.role = r.role ? r.role : BOUGH_ROLE_ASSISTANT;
    rc = plan_build(s, a, &r, 1, NULL, &plan, err);
    if (rc)
        return rc;
    *reply =
        (struct history){ .entries = arena_dup(a, &plan.entries[0].e, sizeof *entries), .n = 1 };
    history_units(a, reply, false);
    return BOUGH_OK;
}

static struct bough_entry_new system_note(struct bough_arena *a, const struct bough_entry *system)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM };
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "customType", "bough.system");
    jw_key(&w, "data");
    jw_arr(&w);
    for (size_t i = 0; i < system->nparts; i++)
        jw_raw(&w, system->parts[i].json);
    jw_end_arr(&w);
    jw_end_obj(&w);
    e.data = text_keep(a, &b);
    buf_finish(&b);
    return e;
}

static struct bough_str last_note(const struct stored *s)
{
    for (size_t i = s->nall; i-- > 0;)
        if (s->all[i].kind == BOUGH_ENTRY_CUSTOM &&
            str_starts(s->all[i].data, "{\"customType\":\"bough.system\""))
            return s->all[i].data;
    return str_of("");
}

/* The entries to append: the system note, variants, the marker, the new messages, the reply. */
static void list_entries(struct recording *r, struct entries *to)
{
    size_t first = r->skip + r->w.message;
    struct bough_entry_new *e;

    if (r->note_system) {
        struct bough_entry_new note = system_note(r->a, &r->sent->entries[0]);

        if (!str_eq(note.data, last_note(&r->path)))
            *entries_push(to) = note;
    }
    (void)notes_differs(&r->rest, &r->w, to, NULL);
    if (r->w.how == BOUGH_EXCHANGE_COMPACTED)
        notes_marker(&r->rest, &r->w, to);
    for (size_t i = first; i < r->in->nhistory; i++) {
        e = entries_push(to);
        *e = notes_rest(r->a, &r->in->history[i], i == first ? r->w.part : 0);
    }
    if (!r->in->reply || r->reply_known)
        return;
    e = entries_push(to);
    *e = *r->in->reply;
    e->role = r->in->reply->role ? r->in->reply->role : BOUGH_ROLE_ASSISTANT;
    e->by_call = r->in->call != NULL;
}

/* Find the calls that messages name. */
static enum bough_rc resolve(struct bough_store *s, struct bough_arena *a, struct append_job *j,
                             struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = plan_resolve(&snap, a, j->sid, &j->plan, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc attempt(struct recording *r, struct bough_record_result *out)
{
    struct append_job j = { .s = r->s, .sid = r->sid, .expect_head = &r->head };
    struct entries list = { .a = r->a };
    struct snap snap;
    enum bough_rc rc = snap_begin(r->s, &snap, r->err);

    if (rc)
        return rc;
    rc = find_place(r, &snap);
    snap_end(&snap);
    if (rc)
        return rc;
    list_entries(r, &list);
    j.at_set = !r->reply_known &&
               (r->w.at.branch != r->path.end.branch || r->w.at.depth != r->path.end.depth);
    j.at = r->w.at;
    *out = (struct bough_record_result){ .matched = r->w.message, .branched = j.at_set && list.n };
    if (!list.n && !r->in->call) {
        out->appended.head = r->head;
        return BOUGH_OK; /* everything is stored already */
    }
    rc = plan_build(r->s, r->a, list.at, list.n, r->in->call, &j.plan, r->err);
    if (!rc && j.plan.resolve)
        rc = resolve(r->s, r->a, &j, r->err);
    if (rc)
        return rc;
    j.heed_lease = true;
    j.as = r->in->owner;
    j.key = r->key;
    memcpy(j.hash, r->asked->at, sizeof j.hash);
    return append_run(r->s, r->a, &j, &out->appended, r->err);
}

/* Hash of the request for its idempotency key: history, reply and call. */
static enum bough_rc hash_request(struct bough_store *s, struct bough_arena *a,
                                  const struct bough_record_options *in, const struct history *sent,
                                  const struct history *reply, struct hash *out,
                                  struct bough_error *err)
{
    static const struct hash none;
    struct plan call;
    struct hash one;
    struct sha256 h;
    enum bough_rc rc = plan_build(s, a, NULL, 0, in->call, &call, err);

    if (rc)
        return rc;
    plan_hash(a, &call, NULL, out->at);
    sha256_init(&h);
    sha256_update(&h, out->at, sizeof out->at);
    for (size_t i = 0; i < sent->n; i++) {
        normal_message_hash(&sent->entries[i], one.at);
        sha256_update(&h, &one, sizeof one);
    }
    if (reply->n)
        normal_message_hash(reply->entries, one.at);
    sha256_update(&h, reply->n ? &one : &none, sizeof none);
    sha256_final(&h, out->at);
    return BOUGH_OK;
}

/* Look up the idempotency key, before anything is matched. */
static enum bough_rc known(struct bough_store *s, struct bough_arena *a, int64_t sid,
                           const char *key, const struct hash *asked, bool *is,
                           struct bough_record_result *out, struct bough_error *err)
{
    struct append_job j = { .s = s, .sid = sid, .key = key };

    j.plan.n = 1; /* the replayed head is its last entry */
    memcpy(j.hash, asked->at, sizeof j.hash);
    *out = (struct bough_record_result){ 0 };
    return append_known(s, a, &j, is, &out->appended, err);
}

enum bough_rc bough_record(struct bough_store *s, struct bough_arena *a, const char *session,
                           const struct bough_record_options *in, struct bough_record_result *out,
                           struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct deadline p = store_deadline(s);
    struct bough_error why = { 0 };
    struct history sent = { 0 }, reply = { 0 };
    struct hash asked = { { 0 } };
    const char *key = NULL;
    bool is_known = false;
    int64_t sid;
    enum bough_rc rc = RESERVED_CHECK(bough_record_options, in, err);

    if (!rc)
        rc = find_session_fast(s, session, &sid, err);
    if (!rc)
        rc = read_sent(s, a, in, &sent, &reply, err);
    if (!rc && !cstr_empty(in->key)) {
        rc = hash_request(s, a, in, &sent, &reply, &asked, err);
        key = rc ? NULL : append_key(s, a, sid, in->key, err);
        if (!rc && !key)
            rc = BOUGH_INVALID;
        if (!rc)
            rc = known(s, a, sid, key, &asked, &is_known, out, err);
    }
    if (rc || is_known)
        return rc;
    do { /* the head moved between reading and writing: match again (C9 g) */
        struct recording r = { .s = s,
                               .a = a,
                               .sid = sid,
                               .in = in,
                               .sent = &sent,
                               .reply = &reply,
                               .key = key,
                               .asked = &asked,
                               .err = &why };

        rc = attempt(&r, out);
    } while (rc == BOUGH_CONFLICT && mono_us() < p.until_us);
    if (rc && err)
        *err = why;
    return rc;
}
