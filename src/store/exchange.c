/*
 * Recording an exchange: the whole history a client sent, the reply, the call. What is stored
 * already is matched by content, never counted; only what is new is appended; an edited history
 * becomes a branch.
 */
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "core/normal.h"
#include "core/text.h"
#include "store/append.h"
#include "store/find.h"
#include "store/path.h"
#include "store/session.h"

struct hash {
    unsigned char at[SHA256_LEN];
};

struct history {
    struct hash *at;
    struct bough_entry *entries;
    size_t n;
    struct bough_str noted; /* the last system message that stands beside the path */
};

/* What to do with a history: leave out so many of its messages, append the rest behind an entry. */
struct match {
    size_t
        skip; /* a leading system message that is the session's prompt, or stands beside the path */
    size_t known;         /* messages after it that are stored already */
    bool branch;          /* behind `at` instead of the head */
    struct bough_head at; /* branch 0: a new root */
    bool reply_known;     /* the reply stands there already */
    bool note_system;     /* keep the skipped system message as a note: it is not the prompt */
};

static bool same(const struct history *x, size_t i, const struct history *y, size_t k)
{
    return memcmp(x->at[i].at, y->at[k].at, SHA256_LEN) == 0;
}

static size_t run_from(const struct history *sent, size_t from, const struct history *stored,
                       size_t k)
{
    size_t n = 0;

    while (from + n < sent->n && k + n < stored->n && same(sent, from + n, stored, k + n))
        n++;
    return n;
}

static bool has_reply(const struct history *h, size_t from)
{
    for (size_t i = from; i < h->n; i++)
        if (h->entries[i].role == BOUGH_ROLE_ASSISTANT)
            return true;
    return false;
}

static bool is_system(const struct history *h, size_t i)
{
    return i < h->n && h->entries[i].role == BOUGH_ROLE_SYSTEM;
}

/* The history agrees with what is stored for `run` messages from stored[start]: what follows from
 * that. */
static void agree(const struct history *stored, size_t start, size_t run, size_t left,
                  struct match *m)
{
    size_t end = start + run;

    m->known = run;
    if (end == stored->n)
        return; /* it reaches the head: go on from there */
    (void)left;
    m->branch = true;
    if (end)
        m->at = stored->entries[end - 1].at;
}

/* A history that does not begin where the stored one does: a client that trims old messages (C9 b).
 */
static bool match_trimmed(const struct history *sent, size_t from, const struct history *stored,
                          struct match *m)
{
    for (size_t k = 1; k < stored->n; k++) {
        size_t run = run_from(sent, from, stored, k);

        if (run && k + run == stored->n) {
            agree(stored, k, run, sent->n - from - run, m);
            return true;
        }
    }
    return false;
}

static void match_from(const struct history *sent, size_t from, const struct history *stored,
                       struct match *m)
{
    size_t run = run_from(sent, from, stored, 0);
    size_t past_system =
        is_system(stored, 0) && !is_system(sent, from) ? run_from(sent, from, stored, 1) : 0;

    if (run || !stored->n) {
        agree(stored, 0, run, sent->n - from - run, m);
    } else if (past_system) {
        agree(stored, 1, past_system, sent->n - from - past_system, m);
    } else if (match_trimmed(sent, from, stored, m)) {
        return;
    } else if (has_reply(sent, from)) {
        m->branch = true; /* another conversation altogether: a root of its own */
    }
    /* else: only new messages were sent (C9 a); they go behind the head */
}

static void match_history(const struct history *sent, const struct history *stored,
                          const char *prompt, struct match *m)
{
    struct bough_str first = { "", 0 };
    struct bough_arena *tmp = bough_arena_create();

    *m = (struct match){ 0 };
    if (is_system(sent, 0) && sent->entries[0].nparts == 1)
        first = bough_part_plain(tmp, &sent->entries[0].parts[0]);
    if (is_system(sent, 0) && *prompt && str_is(first, prompt)) {
        m->skip = 1;
    } else if (is_system(sent, 0) && stored->n && !is_system(stored, 0)) {
        /* A system message the stored conversation does not begin with (C9 c, e): it is not a new
         * message in the middle of it, but it was sent, so it is noted. */
        m->skip = 1;
        m->note_system = true;
    }
    bough_arena_destroy(tmp);
    match_from(sent, m->skip, stored, m);
}

/* ---- the stored side ---- */

static void hash_all(struct bough_arena *a, struct history *h)
{
    h->at = arena_array(a, h->n + 1, sizeof *h->at);
    for (size_t i = 0; i < h->n; i++)
        normal_message_hash(&h->entries[i], h->at[i].at);
}

/* Messages stay; of the notes among them only the last system message sent is remembered. */
static void split(const struct entry_list *list, struct history *out)
{
    out->entries = list->at;
    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i].kind == BOUGH_ENTRY_MESSAGE)
            out->entries[out->n++] = list->at[i];
        else if (str_starts(list->at[i].data, "{\"customType\":\"bough.system\""))
            out->noted = list->at[i].data;
    }
}

static enum bough_rc read_stored(struct bough_store *s, struct bough_arena *a, int64_t sid,
                                 struct history *out, const char **prompt, struct bough_head *head,
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
    hash_all(a, out);
    return rc;
}

/* ---- the sent side ---- */

/* Checked and packed once, so that hashing sees what would be stored. */
static enum bough_rc read_sent(struct bough_store *s, struct bough_arena *a,
                               const struct bough_record *in, struct history *sent,
                               struct hash *reply, struct bough_error *err)
{
    struct plan plan;
    struct bough_entry_new r;
    enum bough_rc rc = plan_build(s, a, in->history, in->nhistory, NULL, &plan, err);

    if (rc)
        return rc;
    sent->n = in->nhistory;
    sent->entries = arena_array(a, sent->n + 1, sizeof *sent->entries);
    for (size_t i = 0; i < sent->n; i++)
        sent->entries[i] = plan.entries[i].e;
    hash_all(a, sent);
    if (!in->reply)
        return BOUGH_OK;
    r = *in->reply;
    r.by_call = false;
    r.role = r.role ? r.role : BOUGH_ROLE_ASSISTANT;
    rc = plan_build(s, a, &r, 1, NULL, &plan, err);
    if (!rc)
        normal_message_hash(&plan.entries[0].e, reply->at);
    return rc;
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

/* What will be appended: the note, the new messages, the reply. */
static struct bough_entry_new *to_append(struct bough_arena *a, const struct bough_record *in,
                                         const struct history *sent, const struct history *stored,
                                         const struct match *m, size_t *n)
{
    struct bough_entry_new *out = arena_array(a, in->nhistory + 2, sizeof *out);

    *n = 0;
    if (m->note_system) {
        out[0] = system_note(a, &sent->entries[0]);
        *n = str_eq(out[0].data, stored->noted) ? 0 : 1;
    }
    for (size_t i = m->skip + m->known; i < in->nhistory; i++)
        out[(*n)++] = in->history[i];
    if (in->reply && !m->reply_known) {
        out[*n] = *in->reply;
        out[*n].role = in->reply->role ? in->reply->role : BOUGH_ROLE_ASSISTANT;
        out[(*n)++].by_call = in->call != NULL;
    }
    return out;
}

/* A branch for the reply alone, where the same reply stands already: it was recorded before. */
static void known_reply(const struct history *sent, const struct history *stored,
                        const struct hash *reply, struct match *m)
{
    size_t next = 0;

    if (!m->branch || m->skip + m->known < sent->n || !m->at.branch)
        return;
    while (next < stored->n && (stored->entries[next].at.branch != m->at.branch ||
                                stored->entries[next].at.depth != m->at.depth))
        next++;
    if (next + 1 < stored->n && memcmp(stored->at[next + 1].at, reply->at, SHA256_LEN) == 0) {
        m->reply_known = true;
        m->branch = false;
    }
}

static enum bough_rc attempt(struct bough_store *s, struct bough_arena *a, int64_t sid,
                             const struct bough_record *in, const struct history *sent,
                             const struct hash *reply, const char *key, const struct hash *asked,
                             struct bough_recorded *out, struct bough_error *err)
{
    struct append_job j = { .s = s, .sid = sid, .has_expect = true };
    struct history stored = { 0 };
    struct bough_entry_new *entries;
    const char *prompt = "";
    struct match m;
    size_t n;
    enum bough_rc rc = read_stored(s, a, sid, &stored, &prompt, &j.expect, err);

    if (rc)
        return rc;
    match_history(sent, &stored, prompt, &m);
    if (in->reply)
        known_reply(sent, &stored, reply, &m);
    entries = to_append(a, in, sent, &stored, &m, &n);
    *out = (struct bough_recorded){ .matched = m.known, .branched = m.branch && n };
    if (!n && !in->call) {
        out->appended.head = j.expect;
        return BOUGH_OK; /* all of it was there */
    }
    rc = plan_build(s, a, entries, n, in->call, &j.plan, err);
    if (rc)
        return rc;
    j.at_set = m.branch;
    j.at = m.at;
    j.key = key;
    memcpy(j.hash, asked->at, sizeof j.hash);
    return append_run(s, a, &j, &out->appended, err);
}

/* What was asked, for its idempotency key: the history, the reply, the call. */
static enum bough_rc hash_request(struct bough_store *s, struct bough_arena *a,
                                  const struct bough_record *in, const struct history *sent,
                                  const struct hash *reply, struct hash *out,
                                  struct bough_error *err)
{
    struct plan call;
    struct sha256 h;
    enum bough_rc rc = plan_build(s, a, NULL, 0, in->call, &call, err);

    if (rc)
        return rc;
    plan_hash(a, &call, NULL, out->at);
    sha256_init(&h);
    sha256_update(&h, out->at, sizeof out->at);
    sha256_update(&h, sent->at, sent->n * sizeof *sent->at);
    sha256_update(&h, reply->at, sizeof reply->at);
    sha256_final(&h, out->at);
    return BOUGH_OK;
}

/* Recorded before under this key? Looked up before anything else. */
static enum bough_rc known(struct bough_store *s, struct bough_arena *a, int64_t sid,
                           const char *key, const struct hash *asked, bool *is,
                           struct bough_recorded *out, struct bough_error *err)
{
    struct append_job j = { .s = s, .sid = sid, .key = key };

    j.plan.n = 1; /* its answer ends with its last entry */
    memcpy(j.hash, asked->at, sizeof j.hash);
    *out = (struct bough_recorded){ 0 };
    return append_known(s, a, &j, is, &out->appended, err);
}

enum bough_rc bough_record(struct bough_store *s, struct bough_arena *a, const char *session,
                           const struct bough_record *in, struct bough_recorded *out,
                           struct bough_error *err)
{
    struct patience p = store_patience(s);
    struct bough_error why = { 0 };
    struct history sent = { 0 };
    struct hash reply = { { 0 } }, asked = { { 0 } };
    const char *key = NULL;
    bool is_known = false;
    int64_t sid;
    enum bough_rc rc = find_session_fast(s, session, &sid, err);

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
    do /* the head moved between looking and writing: look again (C9 g) */
        rc = attempt(s, a, sid, in, &sent, &reply, key, &asked, out, &why);
    while (rc == BOUGH_CONFLICT && mono_us() < p.until_us);
    if (rc && err)
        *err = why;
    return rc;
}
