/* Reading what answers about chats and runs are written from. */
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/hecate/hecate.h"

enum { WAIT_STEP_MS = 100 };

/* ---- settings of a chat ---- */

enum bough_rc hecate_chat_session(struct http_req *req, struct bough_session **out,
                                  struct bough_error *err)
{
    enum bough_rc rc;

    for (size_t i = 0; i < req->nparams; i++)
        if (strcmp(req->params[i].name, "id") == 0)
            req->params[i].value = hecate_id_read(HECATE_CHAT, req->params[i].value);
    rc = api_session(req, out, err);
    if (rc == BOUGH_GONE || rc == BOUGH_AMBIGUOUS || (!rc && (*out)->deleted))
        return bough_fail(err, BOUGH_NOT_FOUND, "no agent chat session %.60s",
                          http_param(req, "id"));
    return rc;
}

static const char *text_of(struct bough_arena *a, struct json j, const char *name)
{
    const char *text = json_cstr(a, j, name);

    return text ? text : "";
}

void hecate_settings_read(struct bough_arena *a, const struct bough_session *s,
                          struct hecate_settings *out)
{
    struct json all, j;

    *out = (struct hecate_settings){ "model", "", s->workspace, "", 0 };
    if (json_parse(a, s->metadata, &all, NULL) || !json_get(all, HECATE_ROLE_CHAT, &j))
        return;
    out->runtime = text_of(a, j, "runtime_kind");
    out->adapter = text_of(a, j, "adapter_id");
    out->workspace = text_of(a, j, "workspace");
    out->branch = text_of(a, j, "workspace_branch");
    (void)json_i64(json_member(j, "closed_run"), &out->closed);
}

static void put_settings(struct json_writer *w, const struct hecate_settings *in)
{
    jw_key(w, HECATE_ROLE_CHAT);
    jw_obj(w);
    jw_kv_cstr(w, "runtime_kind", in->runtime);
    jw_opt_cstr(w, "adapter_id", in->adapter);
    jw_opt_cstr(w, "workspace", in->workspace);
    jw_opt_cstr(w, "workspace_branch", in->branch);
    jw_opt_i64(w, "closed_run", in->closed);
    jw_end_obj(w);
}

struct bough_str hecate_settings_write(struct bough_arena *a, struct bough_str metadata,
                                       const struct hecate_settings *in)
{
    struct bough_str key, out;
    struct json_writer w;
    struct json_iter it;
    struct json all;
    struct buf b;

    buf_init(&b, 16 * 1024 + metadata.n);
    jw_init(&w, &b);
    jw_obj(&w);
    put_settings(&w, in);
    if (metadata.n && json_parse(a, metadata, &all, NULL) == BOUGH_OK) {
        it = json_iter(all);
        while (json_next(&it))
            if (json_str(a, it.key, &key) && !str_is(key, HECATE_ROLE_CHAT)) {
                jw_key_str(&w, key);
                jw_raw(&w, json_raw(it.value));
            }
    }
    jw_end_obj(&w);
    out = arena_str(a, buf_str(&b));
    buf_finish(&b);
    return out;
}

/* ---- entries ---- */

/* An open message has its parts so far. */
static void fill_open(struct http_req *req, struct bough_arena *a, struct bough_entry *at, size_t n)
{
    struct bough_message_follow_result now;

    for (size_t i = 0; i < n; i++) {
        if (!at[i].open || bough_message_follow(api_of(req)->store, a, at[i].id, -1, 0, &now, NULL))
            continue;
        if (now.sealed) {
            at[i] = *now.entry;
        } else {
            at[i].parts = now.parts;
            at[i].nparts = now.nparts;
        }
    }
}

static enum bough_rc read_entries(struct http_req *req, struct bough_arena *a, const char *session,
                                  const char *at, int64_t from, struct bough_entry **out, size_t *n,
                                  struct bough_calls *calls, struct bough_error *err)
{
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_PATH,
                                              .at = at,
                                              .from_depth = from,
                                              .newest = true,
                                              .limit = HECATE_ENTRIES_MAX,
                                              .calls = true };
    struct bough_entries_read_result page;
    enum bough_rc rc = bough_entries_read(api_of(req)->store, a, session, &how, &page, err);

    if (rc)
        return rc;
    *out = page.entries.at;
    *n = page.entries.n;
    *calls = *page.calls;
    fill_open(req, a, *out, *n);
    return BOUGH_OK;
}

/* ---- a chat ---- */

static enum bough_rc read_whole(struct http_req *req, struct bough_arena *a,
                                struct hecate_chat *out, struct bough_error *err)
{
    const char *id = out->session->id;
    struct bough_approval_list_options asked = { .session = id, .limit = HECATE_RUNS_MAX };
    enum bough_rc rc = read_entries(req, a, id, NULL, 0, &out->entries, &out->n, &out->calls, err);

    if (!rc)
        rc = bough_approval_list(api_of(req)->store, a, &asked, &out->approvals, err);
    if (!rc)
        segments_build(a,
                       &(struct segments_input){ .session = id,
                                                 .runs = out->runs.at,
                                                 .nruns = out->runs.n,
                                                 .entries = out->entries,
                                                 .n = out->n,
                                                 .calls = out->calls.at,
                                                 .ncalls = out->calls.n },
                       &out->segments);
    return rc;
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return *a ? a : *b ? b : c;
}

/* What is known of the chat besides its entries. */
static void fill_chat(struct http_req *req, struct hecate_chat *out)
{
    const struct bough_session *s = out->session;
    const struct bough_run *run = out->runs.n ? &out->runs.at[0] : NULL;

    out->provider = first_of(run ? run->provider : "", s->model_provider, s->last_provider);
    out->model = first_of(run ? run->model : "", s->model_name, s->last_model);
    out->tools = hecate_model_tools(req, out->provider, out->model);
    out->idle = hecate_is_idle(req, s, run);
}

enum bough_rc hecate_chat_read(struct http_req *req, struct bough_arena *a,
                               const struct bough_session *s, bool whole, struct hecate_chat *out,
                               struct bough_error *err)
{
    struct bough_run_list_options of = { .session = s->id, .limit = whole ? HECATE_RUNS_MAX : 1 };
    enum bough_rc rc;

    *out = (struct hecate_chat){ .session = s };
    hecate_settings_read(a, s, &out->set);
    rc = bough_run_list(api_of(req)->store, a, &of, &out->runs, err);
    if (rc)
        return rc;
    fill_chat(req, out);
    return whole ? read_whole(req, a, out, err) : BOUGH_OK;
}

enum bough_rc hecate_latest(struct http_req *req, struct bough_arena *a, const char *session,
                            struct bough_run **out, struct bough_error *err)
{
    struct bough_run_list_options of = { .session = session, .limit = 1 };
    struct bough_runs runs;
    enum bough_rc rc = bough_run_list(api_of(req)->store, a, &of, &runs, err);

    *out = !rc && runs.n ? &runs.at[0] : NULL;
    return rc;
}

/* ---- a run ---- */

static void build(struct http_req *req, struct bough_arena *a, struct hecate_run *x)
{
    activities_build(a,
                     &(struct activity_input){ .run = x->run,
                                               .entries = x->entries,
                                               .n = x->n,
                                               .calls = x->calls.at,
                                               .ncalls = x->calls.n,
                                               .approvals = x->approvals.at,
                                               .napprovals = x->approvals.n,
                                               .now = api_now(req) },
                     &x->did);
}

/* The approvals of one run among those of its session. */
static void pick_approvals(struct bough_arena *a, const struct bough_approvals *all,
                           const char *run, struct bough_approvals *out)
{
    *out =
        (struct bough_approvals){ .at = arena_array(a, all->n + 1, sizeof *out->at), .next = "" };
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].run, run) == 0)
            out->at[out->n++] = all->at[i];
}

/* A row that was told of a run after its end: run_tell_reverted() names the run as its kind. */
static bool is_note_of(struct bough_arena *a, const struct bough_entry *e, const char *run)
{
    struct json j;

    return e->kind == BOUGH_ENTRY_CUSTOM && e->data.n && json_parse(a, e->data, &j, NULL) == 0 &&
           cstr_eq(json_cstr(a, j, "customType"), ACTIVITY_NOTE) &&
           cstr_eq(json_cstr(a, json_member(j, "data"), "kind"), run);
}

static bool is_of_run(struct bough_arena *a, const struct hecate_chat *chat, size_t i, size_t run)
{
    return chat->segments.run[i] == run ||
           (chat->segments.run[i] == SEGMENT_NONE &&
            is_note_of(a, &chat->entries[i], chat->runs.at[run].id));
}

void hecate_chat_run(struct http_req *req, struct bough_arena *a, const struct hecate_chat *chat,
                     size_t index, struct hecate_run *out)
{
    size_t n = 0;

    *out = (struct hecate_run){ .session = chat->session,
                                .run = &chat->runs.at[index],
                                .calls = chat->calls };
    for (size_t i = 0; i < chat->n; i++)
        n += is_of_run(a, chat, i, index);
    out->entries = arena_array(a, n + 1, sizeof *out->entries);
    for (size_t i = 0; i < chat->n; i++)
        if (is_of_run(a, chat, i, index))
            out->entries[out->n++] = chat->entries[i];
    pick_approvals(a, &chat->approvals, out->run->id, &out->approvals);
    build(req, a, out);
}

/* Where the entries of a run end: NULL for a live run, which is at the head. */
static const char *last_of(struct bough_arena *a, const struct bough_run *run)
{
    return bough_run_ended(run->status) ? arena_printf(a, "#%lld.%lld", (long long)run->last.branch,
                                                       (long long)run->last.depth)
                                        : NULL;
}

enum bough_rc hecate_run_read(struct http_req *req, struct bough_arena *a,
                              const struct bough_session *s, struct bough_run *run,
                              struct hecate_run *out, struct bough_error *err)
{
    struct bough_approval_list_options asked = { .run = run->id, .limit = HECATE_RUNS_MAX };
    enum bough_rc rc = BOUGH_OK;

    *out = (struct hecate_run){ .session = s, .run = run };
    if (run->first.branch)
        rc = read_entries(req, a, s->id, last_of(a, run), run->first.depth, &out->entries, &out->n,
                          &out->calls, err);
    if (!rc)
        rc = bough_approval_list(api_of(req)->store, a, &asked, &out->approvals, err);
    if (!rc)
        build(req, a, out);
    return rc;
}

/* The changelog ends the wait when something happens, so that the end is seen at once. */
enum bough_rc hecate_wait_end(struct http_req *req, const char *run, int64_t ms, bool *ended,
                              struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct bough_arena *tmp = bough_arena_create();
    struct bough_feed_next_result news;
    struct bough_mark mark;
    struct bough_run *now;
    enum bough_rc rc = bough_feed_end(store, &mark, err);

    *ended = false;
    for (int64_t until = mono_us() / 1000 + ms, left = ms; !rc; left = until - mono_us() / 1000) {
        rc = bough_run_get(store, tmp, run, &now, err);
        *ended = !rc && bough_run_ended(now->status);
        if (rc || *ended || left <= 0)
            break;
        rc = bough_feed_next(store, tmp, mark, 0, left < WAIT_STEP_MS ? left : WAIT_STEP_MS, &news,
                             err);
        if (!rc)
            mark = news.next;
    }
    bough_arena_destroy(tmp);
    return rc;
}
