/*
 * The tool calls of one reply. Their arguments are those of the sealed reply: an approval names the
 * entry and the part, and what runs is read from there. A call is begun once: its message is opened
 * before the tool runs, and a message that is there is never begun again.
 */
#include <string.h>
#include <time.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "run/runner.h"
#include "run/step.h"
#include "tools/tools.h"

enum { PARALLEL = 4, WAIT_MS = 200, CALLS_MOST = 256, APPROVALS_PAGE = 1000, RENEW_S = 15 };

enum call_state {
    CALL_NEW,     /* nothing is decided */
    CALL_ASKED,   /* a person is asked */
    CALL_READY,   /* may be made */
    CALL_RUNNING, /* in a thread */
    CALL_ENDED,   /* its result is stored, or it was begun by an owner that is gone */
};

struct call {
    struct round *round;
    enum call_state state;
    int64_t part;
    const char *id, *name;
    struct bough_str input; /* raw JSON; a call with other arguments is an error */
    const char *approval;   /* id, or "" */
    const struct tool *tool;
    /* While it runs. */
    struct run_work *w;
    struct tool_set *tools;
    struct bough_writing writing;
    int64_t start;
    pthread_t thread;
    bool joinable;
};

struct round {
    char entry[BOUGH_ID_LEN + 1];
    struct call *at;
    size_t n;
    int64_t settled; /* approvals of the run that were settled when they were last read */
    bool stop;       /* a person rejected a call and wants the run to end */
    const char *stopped_by;
    pthread_mutex_t lock; /* of states while threads run, and of the next two */
    pthread_cond_t ended;
    int running;
    bool lost; /* a result could not be stored */
};

/* ---- reading ---- */

struct round *round_of(struct bough_arena *a, const struct bough_entry *reply)
{
    struct round *r = arena_zalloc(a, sizeof *r);

    memcpy(r->entry, reply->id, sizeof r->entry);
    r->at = arena_array(a, reply->nparts + 1, sizeof *r->at);
    for (size_t i = 0; i < reply->nparts && r->n < CALLS_MOST; i++) {
        struct part_view v;

        view_part(a, &reply->parts[i], &v);
        if (v.kind != VIEW_CALL && v.kind != VIEW_TOOL)
            continue;
        r->at[r->n++] = (struct call){ .round = r,
                                       .part = (int64_t)i,
                                       .id = v.call,
                                       .name = v.tool,
                                       .input = v.input,
                                       .approval = "" };
    }
    return r->n ? r : NULL;
}

static struct call *call_of_part(struct round *r, int64_t part)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->at[i].part == part)
            return &r->at[i];
    return NULL;
}

void round_take_results(struct round *r, struct bough_arena *a, const struct bough_entry *entries,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct call *c;
        struct json j;
        const char *entry;
        int64_t part = -1;

        if (entries[i].role != BOUGH_ROLE_TOOL || json_parse(a, entries[i].data, &j, NULL))
            continue;
        entry = json_cstr(a, j, "entry");
        json_i64(json_member(j, "part"), &part);
        c = entry && strcmp(entry, r->entry) == 0 ? call_of_part(r, part) : NULL;
        if (c)
            c->state = CALL_ENDED;
    }
}

/* ---- results ---- */

static struct tool_named named(const struct call *c, int64_t end)
{
    return (struct tool_named){ .call = c->id,
                                .name = c->name,
                                .title = c->tool ? c->tool->title : "",
                                .input = c->input,
                                .start = c->start,
                                .end = end };
}

/* Open the message of the call. The data says which call it is. */
static bool open_call(struct run_work *w, struct call *c, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_TOOL };
    struct tool_named n;
    struct bough_step step = { .kind = BOUGH_STEP_PART };
    enum bough_rc rc;

    e.data = str_of(arena_printf(a, "{\"run\":\"%s\",\"entry\":\"%s\",\"part\":%lld}", w->run->id,
                                 c->round->entry, (long long)c->part));
    c->start = work_now(w);
    n = named(c, 0);
    rc = work_open(w, &e, &c->writing, err);
    step.bytes = tool_part_running(a, &n);
    if (!rc)
        rc = bough_message_step(w->store, &c->writing, 0, &step, 1, NULL, err);
    bough_arena_destroy(a);
    return rc == BOUGH_OK;
}

static bool seal_call(struct run_work *w, const struct call *c, struct bough_arena *a,
                      const struct tool_result *result, struct bough_error *err)
{
    int64_t end = work_now(w);
    struct tool_named n = named(c, end);
    struct tool_parts parts = tool_parts_ended(w->store, a, &n, result);
    struct bough_message_seal_options how = { .parts = parts.at,
                                              .nparts = parts.n,
                                              .duration = end - c->start,
                                              .finish = result->cancelled ? "cancelled" : NULL };

    return bough_message_seal(w->store, a, &c->writing, &how, NULL, err) == BOUGH_OK;
}

/* A result that no tool gave. */
static bool put_error(struct run_work *w, struct call *c, const char *text)
{
    struct tool_result result = { .is_error = true, .text = str_of(text) };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    bool ok;

    if (!c->input.n || *c->input.p != '{')
        c->input = str_of("{}");
    ok = open_call(w, c, &err) && seal_call(w, c, a, &result, &err);
    if (!ok)
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
    c->state = CALL_ENDED;
    bough_arena_destroy(a);
    return ok;
}

/* ---- one call in its thread ---- */

static void *call_main(void *user)
{
    struct call *c = user;
    struct round *r = c->round;
    struct bough_arena *a = bough_arena_create();
    struct tool_result result = { 0 };
    struct bough_error err = { 0 };
    bool stored;

    tool_call(c->tools, a,
              &(struct tool_call){ .tool = c->tool, .args = c->input, .cancel = &c->w->cancel },
              &result);
    stored = work_flag(&c->w->lost) || seal_call(c->w, c, a, &result, &err);
    if (!stored)
        log_msg(LOG_WARN, "run id=%s msg=the result of %s was not stored: %s", c->w->run->id,
                c->name, err.msg);
    bough_arena_destroy(a);
    pthread_mutex_lock(&r->lock);
    c->state = CALL_ENDED;
    r->lost = r->lost || !stored;
    r->running--;
    pthread_cond_broadcast(&r->ended);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static bool begin_call(struct run_work *w, struct tool_set *tools, struct call *c)
{
    struct bough_run_set_options set = BOUGH_RUN_SET_NOTHING;
    struct bough_error err = { 0 };

    c->w = w;
    c->tools = tools;
    if (!open_call(w, c, &err)) {
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
        return false;
    }
    set.tools = ++w->run->tools;
    if (work_set(w, &set, &err))
        log_msg(LOG_WARN, "run id=%s msg=its counts were not stored: %s", w->run->id, err.msg);
    pthread_mutex_lock(&c->round->lock);
    c->state = CALL_RUNNING;
    c->round->running++;
    pthread_mutex_unlock(&c->round->lock);
    c->joinable = pthread_create(&c->thread, NULL, call_main, c) == 0;
    if (!c->joinable)
        call_main(c); /* one after the other, then */
    return true;
}

/* ---- deciding ---- */

static bool is_object(struct bough_arena *a, struct bough_str input)
{
    struct json j;

    return input.n && json_parse(a, input, &j, NULL) == BOUGH_OK && json_type(j) == JSON_OBJECT;
}

static const char *why_rejected(struct bough_arena *a, const struct bough_approval *p)
{
    if (p->path == BOUGH_PATH_POLICY)
        return arena_printf(a, "A rule of this server denies %s.", p->tool);
    if (*p->note)
        return arena_printf(a, "The user rejected this call: %s", p->note);
    return p->status == BOUGH_APPROVAL_TIMED_OUT ? "Nobody answered whether this call may be made."
                                                 : "The user rejected this call.";
}

/* What an approval says now. False: the end of the run is set. */
static bool obey(struct run_work *w, struct call *c, const struct bough_approval *p)
{
    switch (p->status) {
    case BOUGH_APPROVAL_PENDING:
        c->state = CALL_ASKED;
        break;
    case BOUGH_APPROVAL_APPROVED:
        c->state = CALL_READY;
        break;
    case BOUGH_APPROVAL_REJECTED:
    case BOUGH_APPROVAL_CANCELLED:
    case BOUGH_APPROVAL_TIMED_OUT:
        c->round->stop = c->round->stop || p->stop;
        c->round->stopped_by = p->by;
        return put_error(w, c, why_rejected(w->a, p));
    }
    return true;
}

static bool ask_for(struct run_work *w, struct call *c)
{
    struct work_ask in = { .tool = c->tool->rule,
                           .kind = c->tool->kind,
                           .title = *c->tool->title ? c->tool->title : c->name,
                           .entry = c->round->entry,
                           .part = c->part,
                           .reads_only = c->tool->reads_only };
    struct bough_approval *approval;
    struct bough_error err = { 0 };
    enum work_answer answer;

    if (work_ask(w, &in, &answer, &approval, &err)) {
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
        return false;
    }
    if (approval) {
        c->approval = approval->id;
        c->round->settled += approval->status != BOUGH_APPROVAL_PENDING;
        return obey(w, c, approval);
    }
    c->state = CALL_READY;
    return true;
}

/* Decide about calls that are new. False: the end of the run is set. */
static bool decide(struct run_work *w, struct tool_set *tools, struct round *r)
{
    bool ok = true;

    for (size_t i = 0; i < r->n && ok; i++) {
        struct call *c = &r->at[i];

        if (c->state == CALL_ENDED)
            continue;
        c->tool = tool_find(tools, c->name);
        if (!c->tool)
            ok = put_error(w, c, arena_printf(w->a, "There is no tool %.100s.", c->name));
        else if (!is_object(w->a, c->input))
            ok = put_error(w, c, "The arguments are not a JSON object.");
        else if (c->state == CALL_NEW)
            ok = ask_for(w, c);
    }
    return ok;
}

/* Read the approvals of this round. False: the end of the run is set. */
static bool read_approvals(struct run_work *w, struct round *r)
{
    struct bough_approval_list_options which = { .run = w->run->id, .limit = APPROVALS_PAGE };
    struct bough_approvals page = { .next = "" };
    struct bough_error err = { 0 };
    int64_t settled = 0;
    bool ok = true;

    do {
        which.cursor = page.next;
        if (bough_approval_list(w->store, w->a, &which, &page, &err)) {
            work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
            return false;
        }
        for (size_t i = 0; i < page.n && ok; i++) {
            const struct bough_approval *p = &page.at[i];
            struct call *c = strcmp(p->entry, r->entry) == 0 ? call_of_part(r, p->part) : NULL;

            settled += p->status != BOUGH_APPROVAL_PENDING;
            if (!c || (c->state != CALL_NEW && c->state != CALL_ASKED))
                continue;
            c->approval = p->id;
            ok = obey(w, c, p);
        }
    } while (ok && *page.next);
    r->settled = settled;
    return ok;
}

/* ---- the round ---- */

static bool start_ready(struct run_work *w, struct tool_set *tools, struct round *r)
{
    bool ok = true;

    for (size_t i = 0; i < r->n && ok; i++) {
        bool room;

        pthread_mutex_lock(&r->lock);
        room = r->running < PARALLEL && r->at[i].state == CALL_READY;
        pthread_mutex_unlock(&r->lock);
        if (room)
            ok = begin_call(w, tools, &r->at[i]);
    }
    return ok;
}

/* Keep the leases of open tool messages: tools run for minutes. */
static void renew_open(struct run_work *w, struct round *r)
{
    struct bough_error err = { 0 };

    for (size_t i = 0; i < r->n; i++) {
        struct bough_writing writing;
        bool running;

        pthread_mutex_lock(&r->lock);
        running = r->at[i].state == CALL_RUNNING;
        writing = r->at[i].writing;
        pthread_mutex_unlock(&r->lock);
        if (running && bough_message_flush(w->store, &writing, NULL, &err) == BOUGH_IO)
            log_msg(LOG_WARN, "run id=%s msg=a lease was not renewed: %s", w->run->id, err.msg);
    }
}

/* Wait until a call ends, or for a moment. Returns how many run. */
static int wait_a_moment(struct round *r)
{
    struct timespec at;
    int running;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += WAIT_MS * 1000 * 1000L;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    pthread_mutex_lock(&r->lock);
    if (r->running)
        pthread_cond_timedwait(&r->ended, &r->lock, &at);
    running = r->running;
    pthread_mutex_unlock(&r->lock);
    return running;
}

static size_t count(struct round *r, enum call_state state)
{
    size_t n = 0;

    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->n; i++)
        n += r->at[i].state == state;
    pthread_mutex_unlock(&r->lock);
    return n;
}

/* Calls that run are told to stop by w->cancel, and always come to an end. */
static void join_all(struct round *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->at[i].joinable) {
            pthread_join(r->at[i].thread, NULL);
            r->at[i].joinable = false;
        }
}

/* A wish to cancel the run may be there before the runner has told of it. */
static void look_for_wish(struct run_work *w)
{
    struct bough_run *run;

    if (!bough_run_get(w->store, w->a, w->run->id, &run, NULL) && run->cancel)
        work_wish(w);
}

static enum round_end give_back(struct run_work *w, struct round *r, bool *again)
{
    struct bough_error err = { 0 };
    enum bough_rc rc = bough_run_wait(w->store, w->run->id, w->epoch, r->settled, &err);

    *again = rc == BOUGH_CONFLICT;
    if (!rc)
        w->waits = true;
    else if (*again)
        look_for_wish(w);
    else
        work_end(w, BOUGH_RUN_FAILED, run_error_code(rc), "%s", err.msg);
    return rc ? ROUND_ENDED : ROUND_WAITS;
}

static bool should_stop(struct run_work *w, const struct round *r)
{
    if (work_flag(&w->cancel))
        work_end_cancelled(w);
    else if (r->stop)
        work_end(w, BOUGH_RUN_FAILED, "rejected", "%s rejected a call and stopped the run",
                 cstr_empty(r->stopped_by) ? "the owner" : r->stopped_by);
    else if (r->lost)
        work_end(w, BOUGH_RUN_FAILED, "store", "the result of a tool could not be stored");
    return w->ended;
}

/* Calls run, or can be started: look what else has happened. False: the end of the run is set. */
static bool look_around(struct run_work *w, struct round *r, time_t *renewed)
{
    if (time(NULL) - *renewed >= RENEW_S) {
        *renewed = time(NULL);
        renew_open(w, r);
    }
    return !__atomic_exchange_n(&w->nudged, false, __ATOMIC_ACQ_REL) || read_approvals(w, r);
}

static enum round_end work_on(struct run_work *w, struct tool_set *tools, struct round *r)
{
    time_t renewed = time(NULL);
    bool again = true;

    while (again && !should_stop(w, r) && start_ready(w, tools, r)) {
        if (wait_a_moment(r) || count(r, CALL_READY)) {
            again = look_around(w, r, &renewed);
        } else if (!count(r, CALL_ASKED)) {
            return should_stop(w, r) ? ROUND_ENDED : ROUND_DONE;
        } else {
            again = read_approvals(w, r);
            if (again && !r->stop && !count(r, CALL_READY) && count(r, CALL_ASKED) &&
                give_back(w, r, &again) == ROUND_WAITS)
                return ROUND_WAITS;
        }
    }
    return ROUND_ENDED;
}

enum round_end round_work(struct run_work *w, struct tool_set *tools, struct round *r)
{
    enum round_end end = ROUND_ENDED;

    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->ended, NULL);
    if (read_approvals(w, r) && decide(w, tools, r))
        end = work_on(w, tools, r);
    if (end == ROUND_ENDED) /* what still runs is of no use */
        __atomic_store_n(&w->cancel, true, __ATOMIC_RELEASE);
    join_all(r);
    pthread_cond_destroy(&r->ended);
    pthread_mutex_destroy(&r->lock);
    return end;
}
