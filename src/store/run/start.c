/* Starting a run: its prompt, its record and the busy session in one txn. */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/write.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/notes/queue.h"
#include "store/run/run.h"

/* ---- the request ---- */

struct start {
    struct request r;
    const struct bough_run_start_options *in;
    struct append_job job;
    struct run_body b;
    struct run_new n;
    bool queued, expired;
    struct record_row prompt; /* as queued */
    char session[BOUGH_ID_LEN + 1];
};

/* Does another owner have the session? *expired: a run whose owner is gone. */
static enum bough_rc check_free(const struct prep *p, const struct head_row *h, bool *expired,
                                struct bough_error *err)
{
    char since[ISO_TEXT];
    enum bough_rc rc = check_no_run(h, err);

    *expired = rc && h->lease_expires <= p->now;
    if (rc || h->status != BOUGH_STATUS_BUSY || !*h->lease_owner || h->lease_expires <= p->now)
        return rc;
    iso_print(h->lease_since, since);
    return bough_fail(err, BOUGH_BUSY, "session #%lld is busy: %.80s has it since %s",
                      (long long)h->sid, h->lease_owner, since);
}

/* The settings of a queued prompt that have no column of their own. */
static struct bough_str queued_data(struct bough_arena *a, const struct run_body *b)
{
    struct json_writer w;
    struct bough_str out;
    struct buf data;

    buf_init(&data, LIMIT_DATA + LIMIT_PATH);
    jw_init(&w, &data);
    jw_obj(&w);
    jw_key(&w, "run");
    jw_obj(&w);
    jw_kv_cstr(&w, "host", b->host);
    jw_kv_raw(&w, "servers", b->servers.n ? b->servers : str_of("[]"));
    jw_kv_raw(&w, "data", b->data.n ? b->data : str_of("{}"));
    jw_kv_i64(&w, "turns", b->max_turns);
    jw_kv_i64(&w, "time_ms", b->max_time);
    jw_kv_i64(&w, "cost", b->max_cost);
    jw_end_obj(&w);
    jw_end_obj(&w);
    out = arena_str(a, buf_str(&data));
    buf_finish(&data);
    return out;
}

static enum bough_rc put_queued(struct prep *p, struct snap *snap, struct start *st,
                                const struct head_row *head, struct bough_error *err)
{
    struct queue_body q = { .content = st->in->text,
                            .runtime_kind = bough_run_runtime_name(st->in->runtime),
                            .provider = st->b.provider,
                            .model = st->b.model,
                            .workspace = st->b.workspace,
                            .system_prompt = st->b.system_prompt,
                            .adapter_id = st->b.adapter,
                            .data = queued_data(p->a, &st->b) };

    st->queued = true;
    return queue_add_in(p, snap, head, &q, &st->prompt, err);
}

/* The run before it in its chain must have ended. */
static enum bough_rc check_after(struct prep *p, struct snap *snap, struct start *st,
                                 struct bough_error *err)
{
    struct record_row row;
    struct run_body after;
    enum bough_rc rc;

    if (cstr_empty(st->in->after))
        return BOUGH_OK;
    rc = named_load(snap, p->a, st->in->after, RUN_NAME, &row, &after, err);
    if (!rc && row.sid != st->job.sid)
        rc = bough_fail(err, BOUGH_INVALID, "run %.40s is of another session", st->in->after);
    if (!rc && !bough_run_ended((enum bough_run_status)after.status))
        rc = bough_fail(err, BOUGH_CONFLICT, "run %.40s has not ended", st->in->after);
    if (rc)
        return rc;
    st->n.b.after = st->in->after;
    st->n.b.task = *after.task ? after.task : st->in->after;
    return BOUGH_OK;
}

static enum bough_rc check_key(struct prep *p, struct snap *snap, const struct start *st,
                               struct bough_error *err)
{
    struct key_row row;

    if (st->job.key && !snap->ops->key_get(snap->v, p->a, st->job.key, &row, NULL) &&
        row.expires > p->now)
        return bough_fail(err, BOUGH_KEY_CONFLICT, "the key is known");
    return BOUGH_OK;
}

static void put_key(struct prep *p, const struct start *st)
{
    struct key_row *key;

    if (!st->job.key || st->job.plan.n) /* an append puts it itself */
        return;
    key = &txn_change(p, CHANGE_KEY_PUT)->u.key;
    key->key = st->job.key;
    key->expires = p->now + KEY_DAYS_MS;
    memcpy(key->hash, st->job.hash, sizeof st->job.hash);
}

static enum bough_rc prepare_start(struct prep *p, void *user, struct bough_error *err)
{
    struct start *st = user;
    struct session_loaded l;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    st->queued = st->expired = false;
    st->n.b = st->b;
    if (!rc)
        rc = check_key(p, snap, st, err);
    if (!rc)
        rc = session_load_writable(snap, p->a, st->job.sid, &l, err);
    if (rc)
        return rc;
    id_session(l.row.made, l.row.sid, l.row.chk, st->session);
    rc = check_free(p, &l.head.row, &st->expired, err);
    if (rc == BOUGH_BUSY && st->in->queue && !st->expired)
        return put_queued(p, snap, st, &l.head.row, err);
    if (!rc)
        rc = check_after(p, snap, st, err);
    if (rc)
        return rc;
    put_key(p, st);
    return run_new_put(p, snap, &st->n, &st->job, &l.head, err);
}

static void started(struct engine *e, const struct txn *t, void *user)
{
    struct start *st = user;

    (void)t;
    state_drop(e, st->job.sid);
}

/* ---- arguments ---- */

static bool has_prompt(const struct bough_run_start_options *in)
{
    return in->text || in->nparts;
}

static enum bough_rc check_prompt(const struct bough_run_start_options *in, struct bough_error *err)
{
    bool behind_head = cstr_empty(in->at) && !in->at_root;

    if (in->text && in->nparts)
        return bough_fail(err, BOUGH_INVALID, "a prompt has text or parts, not both");
    if (in->at_root && !cstr_empty(in->at))
        return bough_fail(err, BOUGH_INVALID, "begin behind an entry or a new root, not both");
    if (!has_prompt(in) &&
        (in->why == BOUGH_RUN_START || in->why == BOUGH_RUN_CONTINUE || in->at_root))
        return bough_fail(err, BOUGH_INVALID, "the prompt is missing");
    if (in->queue && (!in->text || !behind_head || !cstr_empty(in->key)))
        return bough_fail(err, BOUGH_INVALID,
                          "only a prompt of text behind the head, without a key, can be queued");
    return BOUGH_OK;
}

static enum bough_rc check_shape(const struct bough_run_start_options *in, struct bough_error *err)
{
    bool follows = in->why != BOUGH_RUN_START;
    bool alone = in->why == BOUGH_RUN_RETRY; /* of a prompt that no run has answered */

    if ((unsigned)in->runtime > BOUGH_RUNTIME_LAST || (unsigned)in->why > BOUGH_RUN_WHY_LAST)
        return bough_fail(err, BOUGH_INVALID, "there is no such runtime, or no such reason");
    if (follows == cstr_empty(in->after) && !alone)
        return bough_fail(err, BOUGH_INVALID, "a run to %s %s the run that it comes after",
                          bough_run_why_name(in->why), follows ? "needs" : "does not have");
    if (in->runtime == BOUGH_RUNTIME_EXTERNAL && cstr_empty(in->adapter))
        return bough_fail(err, BOUGH_INVALID, "an external agent needs its adapter");
    if (in->claim && cstr_empty(in->host))
        return bough_fail(err, BOUGH_INVALID, "a run is claimed by a host with a name");
    if (in->limits.turns < 0 || in->limits.time_ms < 0 || in->limits.cost < 0)
        return bough_fail(err, BOUGH_INVALID, "a limit is never negative");
    return lease_check(in->lease_ms, err);
}

static enum bough_rc check_texts(const struct bough_run_start_options *in, struct bough_error *err)
{
    const struct {
        const char *what, *text;
        int64_t most;
    } texts[] = {
        { "the adapter", in->adapter, LIMIT_NAME },
        { "the agent's id of the session", in->native_id, LIMIT_ID },
        { "the provider", in->provider, LIMIT_NAME },
        { "the model", in->model, LIMIT_NAME },
        { "the host", in->host, LIMIT_NAME },
        { "the workspace", in->workspace, LIMIT_PATH },
        { "the system prompt", in->system_prompt, LIMIT_TEXT },
    };
    enum bough_rc rc = check_json("the servers", in->servers, LIMIT_METADATA, err);

    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = check_text(texts[i].what, texts[i].text, texts[i].most, err);
    if (!rc && in->servers.n && *text_trim(in->servers).p != '[')
        rc = bough_fail(err, BOUGH_INVALID, "the servers are a JSON array of names");
    if (!rc)
        rc = check_object("the state of git", in->git, LIMIT_DATA, err);
    if (!rc)
        rc = check_object("the data", in->data, LIMIT_METADATA, err);
    if (!rc && in->queue)
        rc = queue_check(&(struct bough_prompt){ .content = in->text }, err);
    return rc;
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

static struct run_body body_of(const struct bough_store *s,
                               const struct bough_run_start_options *in)
{
    return (struct run_body){ .by = s->principal,
                              .data = in->data,
                              .runtime = in->runtime,
                              .why = in->why,
                              .task = "",
                              .after = "",
                              .adapter = or_none(in->adapter),
                              .native = or_none(in->native_id),
                              .provider = or_none(in->provider),
                              .model = or_none(in->model),
                              .host = or_none(in->host),
                              .workspace = or_none(in->workspace),
                              .system_prompt = or_none(in->system_prompt),
                              .servers = in->servers,
                              .git = in->git,
                              .max_turns = in->limits.turns,
                              .max_time = in->limits.time_ms,
                              .max_cost = in->limits.cost,
                              .cancel_by = "",
                              .cancel_note = "",
                              .error_code = "",
                              .error = "" };
}

/* ---- the public call ---- */

static enum bough_rc plan_prompt(struct bough_store *s, struct bough_arena *a, struct start *st,
                                 struct bough_error *err)
{
    const struct bough_run_start_options *in = st->in;
    struct bough_entry_new *e = arena_zalloc(a, sizeof *e);

    *e = (struct bough_entry_new){
        .role = BOUGH_ROLE_USER, .text = in->text, .parts = in->parts, .nparts = in->nparts
    };
    return has_prompt(in) ? plan_build(s, a, e, 1, NULL, &st->job.plan, err) : BOUGH_OK;
}

/* The key row's text, and the hash of everything that was asked for. */
static enum bough_rc hash_key(struct bough_store *s, struct bough_arena *a, struct start *st,
                              struct bough_error *err)
{
    const struct bough_run_start_options *in = st->in;
    struct bough_append_options where = { .at = in->at, .at_root = in->at_root };
    struct bough_str packed = body_pack(a, run_fields, &st->b);
    const char *after = or_none(in->after);
    struct sha256 h;

    if (cstr_empty(in->key))
        return BOUGH_OK;
    st->job.key = append_key(s, a, st->job.sid, in->key, err);
    if (!st->job.key)
        return BOUGH_INVALID;
    plan_hash(a, &st->job.plan, &where, st->job.hash);
    sha256_init(&h);
    sha256_update(&h, st->job.hash, sizeof st->job.hash);
    sha256_update(&h, packed.p, packed.n);
    sha256_update(&h, after, strlen(after));
    sha256_final(&h, st->job.hash);
    return BOUGH_OK;
}

static enum bough_rc find_at(struct bough_store *s, const char *session, struct start *st,
                             struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_session(s, session, &snap, &st->job.sid, err);

    if (rc)
        return rc;
    st->job.at_set = st->in->at_root || !cstr_empty(st->in->at);
    if (!cstr_empty(st->in->at))
        rc = find_entry(&snap, st->job.sid, st->in->at, &st->job.at, err);
    snap_end(&snap);
    return rc;
}

/* The run that an earlier request with the same key has started. */
static enum bough_rc known(struct bough_store *s, struct bough_arena *a, const struct start *st,
                           bool *found, struct bough_run **out, struct bough_error *err)
{
    struct changelog_row log = { 0 };
    struct key_row row;
    struct snap snap;
    enum bough_rc rc;

    *found = false;
    if (!st->job.key || snap_begin(s, &snap, NULL))
        return BOUGH_OK;
    *found =
        !snap.ops->key_get(snap.v, a, st->job.key, &row, NULL) && row.expires > env_now(&s->e->env);
    rc = *found ? snap.ops->changelog_get(snap.v, row.no, &log, err) : BOUGH_OK;
    snap_end(&snap);
    if (!*found || rc)
        return rc;
    if (log.kind != CHANGELOG_RUN || memcmp(row.hash, st->job.hash, sizeof row.hash) != 0)
        return bough_fail(err, BOUGH_KEY_CONFLICT,
                          "this idempotency key was used for another request");
    return run_read(s, a, st->job.sid, log.record, out, err);
}

static enum bough_rc answer(struct bough_store *s, struct bough_arena *a, struct start *st,
                            struct bough_run_start_result *out, struct bough_error *err)
{
    enum bough_rc rc;

    if (st->queued) {
        st->prompt.ord = st->r.txn.ords[0];
        out->queued = arena_alloc(a, sizeof *out->queued);
        return queue_give(a, st->session, &st->prompt, out->queued, err);
    }
    rc = run_read(s, a, st->job.sid, st->n.ord, &out->run, err);
    out->epoch = st->n.claim ? st->n.extra.lease.lease_epoch : 0;
    return rc;
}

static enum bough_rc run_it(struct bough_store *s, struct bough_arena *a, struct start *st,
                            struct bough_run_start_result *out, struct bough_error *err)
{
    struct bough_error why = { 0 };
    bool found, again;
    int tries = 2; /* a run of a dead owner is recovered once */
    enum bough_rc rc, again_rc;

    do {
        again = false;
        st->r = (struct request){
            .prepare = prepare_start, .done = started, .user = st, .sid = st->job.sid
        };
        rc = plan_write(s, a, &st->job.plan, &st->r, &st->job.restore, &why);
        if (rc == BOUGH_BUSY && st->expired && --tries)
            again = run_recover_session(s, st->job.sid, NULL, &why) == BOUGH_OK;
    } while (again);
    if (!rc)
        return answer(s, a, st, out, err);
    again_rc = known(s, a, st, &found, &out->run, err);
    out->replayed = found && !again_rc;
    if (found)
        return again_rc;
    if (err)
        *err = why;
    return rc;
}

enum bough_rc bough_run_start(struct bough_store *s, struct bough_arena *a, const char *session,
                              const struct bough_run_start_options *in,
                              struct bough_run_start_result *out, struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct start *st = arena_zalloc(a, sizeof *st);
    enum bough_rc rc = RESERVED_CHECK(bough_run_start_options, in, err);

    *out = (struct bough_run_start_result){ 0 };
    st->in = in;
    st->job.s = st->n.s = s;
    if (!rc)
        rc = RESERVED_CHECK(bough_run_limits, &in->limits, err);
    if (!rc)
        rc = check_shape(in, err);
    if (!rc)
        rc = check_prompt(in, err);
    if (!rc)
        rc = check_texts(in, err);
    if (!rc)
        rc = plan_prompt(s, a, st, err);
    if (!rc)
        rc = find_at(s, session, st, err);
    st->b = body_of(s, in);
    st->n.claim = in->claim ? in->host : NULL;
    st->n.lease_ms = in->lease_ms;
    if (!rc)
        rc = hash_key(s, a, st, err);
    return rc ? rc : run_it(s, a, st, out, err);
}
