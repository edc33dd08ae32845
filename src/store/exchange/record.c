/* Record an exchange: the full history a client sent, the reply and the call. Messages that are
 * already stored are recognized by content, not by position. Only new messages are appended. An
 * edited history becomes a branch. */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/context/normal.h"
#include "core/match/place.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/append.h"

struct hash {
    unsigned char at[SHA256_LEN];
};

/* How to store a sent history: skip its first messages, append the rest at a position. */
struct match {
    size_t skip;          /* 1: the leading system message is the session's prompt, or a note */
    bool note_system;     /* store the skipped system message as a note: it is not the prompt */
    struct place place;   /* of the messages behind it */
    bool branch;          /* append after `at` instead of after the head */
    struct bough_head at; /* branch 0: a new root */
    bool reply_known;     /* the reply is stored already */
};

/* The stored path: its messages, and the data of the last system message stored as a note. */
struct stored {
    struct history h;
    struct bough_str noted;
};

static bool is_system(const struct history *h, size_t i)
{
    return i < h->n && h->entries[i].role == BOUGH_ROLE_SYSTEM;
}

static bool equal(const struct bough_entry *a, const struct bough_entry *b)
{
    struct hash x, y;

    normal_message_hash(a, x.at);
    normal_message_hash(b, y.at);
    return memcmp(&x, &y, sizeof x) == 0;
}

static void find_place(struct bough_arena *a, const struct history *sent,
                       const struct stored *stored, struct match *m)
{
    struct history rest = { .entries = sent->entries + m->skip, .n = sent->n - m->skip };
    struct place_input in = { &rest, &stored->h, PLACE_EXPLICIT, NULL, 0 };

    history_units(a, &rest, false);
    place_decide(&in, &m->place);
    if (m->place.how == PLACE_COMPACTED) /* a conversation of its own */
        m->place = (struct place){ .how = PLACE_ROOT };
    m->branch = m->place.how == PLACE_ROOT || m->place.at < stored->h.n;
    if (m->branch && m->place.at)
        m->at = stored->h.entries[m->place.at - 1].at;
}

static void match_history(struct bough_arena *a, const struct history *sent,
                          const struct stored *stored, const char *prompt, struct match *m)
{
    const struct bough_entry *first = sent->entries;
    struct bough_str text = { "", 0 };

    *m = (struct match){ 0 };
    if (is_system(sent, 0) && first->nparts == 1)
        text = bough_part_plain(a, &first->parts[0]);
    if (is_system(sent, 0) && *prompt && str_is(text, prompt)) {
        m->skip = 1;
    } else if (is_system(sent, 0) && stored->h.n &&
               (!is_system(&stored->h, 0) || !equal(first, stored->h.entries))) {
        /* The stored conversation does not begin with this system message (C9 c, e). It is not a
         * message of the conversation, so store it as a note. */
        m->skip = 1;
        m->note_system = true;
    }
    find_place(a, sent, stored, m);
}

/* ---- the stored side ---- */

/* Keep messages; of the system notes remember only the last. */
static void split(const struct entry_list *list, struct stored *out)
{
    struct bough_entry *messages = list->at;

    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i].kind == BOUGH_ENTRY_MESSAGE)
            messages[out->h.n++] = list->at[i];
        else if (str_starts(list->at[i].data, "{\"customType\":\"bough.system\""))
            out->noted = list->at[i].data;
    }
    out->h.entries = messages;
}

static enum bough_rc read_stored(struct bough_store *s, struct bough_arena *a, int64_t sid,
                                 struct stored *out, const char **prompt, struct bough_head *head,
                                 struct bough_error *err)
{
    struct session_loaded l;
    struct entry_list list = { .a = a };
    struct path_filter f = { .kinds = 1 << BOUGH_ENTRY_MESSAGE | 1 << BOUGH_ENTRY_CUSTOM };
    struct segs segs;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = session_load(&snap, a, sid, &l, err);
    if (!rc) {
        *head = (struct bough_head){ l.head.row.bid, l.head.depth };
        *prompt = l.body.system_prompt;
        rc = path_segs(&snap, a, *head, 1, &segs, err);
    }
    if (!rc)
        rc = path_read(&snap, &segs, &f, &list, NULL, err);
    snap_end(&snap);
    split(&list, out);
    history_units(a, &out->h, true);
    return rc;
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

/* The message as it is, or without the parts that are stored elsewhere. */
static struct bough_entry_new rest_of(struct bough_arena *a, const struct bough_entry_new *in,
                                      size_t part)
{
    struct bough_entry_new e = *in;

    if (!part)
        return e;
    part = part < e.nparts ? part : e.nparts;
    e.parts += part;
    e.nparts -= part;
    e.data = view_with_member(a, e.data, "bough.split", str_of(arena_printf(a, "%zu", part)));
    return e;
}

/* The entries to append: the system note, the new messages, the reply. */
static struct bough_entry_new *to_append(struct bough_arena *a,
                                         const struct bough_record_options *in,
                                         const struct history *sent, const struct stored *stored,
                                         const struct match *m, size_t *n)
{
    struct bough_entry_new *out = arena_array(a, in->nhistory + 2, sizeof *out);
    size_t first = m->skip + m->place.message;

    *n = 0;
    if (m->note_system) {
        out[0] = system_note(a, &sent->entries[0]);
        *n = str_eq(out[0].data, stored->noted) ? 0 : 1;
    }
    for (size_t i = first; i < in->nhistory; i++)
        out[(*n)++] = rest_of(a, &in->history[i], i == first ? m->place.part : 0);
    if (in->reply && !m->reply_known) {
        out[*n] = *in->reply;
        out[*n].role = in->reply->role ? in->reply->role : BOUGH_ROLE_ASSISTANT;
        out[(*n)++].by_call = in->call != NULL;
    }
    return out;
}

/* Only the reply would be appended, on a branch, but the same reply is already stored there: the
 * exchange was recorded before. */
static void known_reply(const struct history *sent, const struct stored *stored,
                        const struct history *reply, struct match *m)
{
    size_t next = m->place.at;

    if (!m->branch || m->skip + m->place.message < sent->n || !next || next >= stored->h.n)
        return;
    if (units_align(&reply->units, 0, &stored->h.units, next).messages > next) {
        m->reply_known = true;
        m->branch = false;
    }
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

static enum bough_rc attempt(struct bough_store *s, struct bough_arena *a, int64_t sid,
                             const struct bough_record_options *in, const struct history *sent,
                             const struct history *reply, const char *key, const struct hash *asked,
                             struct bough_record_result *out, struct bough_error *err)
{
    struct bough_head now;
    struct append_job j = { .s = s, .sid = sid, .expect_head = &now };
    struct stored stored = { 0 };
    struct bough_entry_new *entries;
    const char *prompt = "";
    struct match m;
    size_t n;
    enum bough_rc rc = read_stored(s, a, sid, &stored, &prompt, &now, err);

    if (rc)
        return rc;
    match_history(a, sent, &stored, prompt, &m);
    if (in->reply)
        known_reply(sent, &stored, reply, &m);
    entries = to_append(a, in, sent, &stored, &m, &n);
    *out = (struct bough_record_result){ .matched = m.place.message, .branched = m.branch && n };
    if (!n && !in->call) {
        out->appended.head = now;
        return BOUGH_OK; /* everything is stored already */
    }
    rc = plan_build(s, a, entries, n, in->call, &j.plan, err);
    if (!rc && j.plan.resolve)
        rc = resolve(s, a, &j, err);
    if (rc)
        return rc;
    j.heed_lease = true;
    j.as = in->owner;
    j.at_set = m.branch;
    j.at = m.at;
    j.key = key;
    memcpy(j.hash, asked->at, sizeof j.hash);
    return append_run(s, a, &j, &out->appended, err);
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
    do /* the head moved between reading and writing: match again (C9 g) */
        rc = attempt(s, a, sid, in, &sent, &reply, key, &asked, out, &why);
    while (rc == BOUGH_CONFLICT && mono_us() < p.until_us);
    if (rc && err)
        *err = why;
    return rc;
}
