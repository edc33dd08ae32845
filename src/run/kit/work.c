/* What all work on runs does: read and write as the owner, tell, end. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "core/activity/activity.h"
#include "run/runner.h"
#include "store/engine/engine.h"

enum { OPEN_LEASE_MS = 60000, TELL_MOST = 16384, ERROR_TEXT = 2000 };

int64_t work_now(const struct run_work *w)
{
    return env_now(&w->store->e->env);
}

enum bough_rc work_look(struct run_work *w, struct bough_error *err)
{
    struct bough_run *run;
    enum bough_rc rc = bough_run_get(w->store, w->a, w->run->id, &run, err);

    if (rc)
        return rc;
    pthread_mutex_lock(&w->all->lock); /* the watcher reads w->run */
    w->run = run;
    pthread_mutex_unlock(&w->all->lock);
    return BOUGH_OK;
}

enum bough_rc work_append(struct run_work *w, const struct bough_entry_new *e, size_t n,
                          struct bough_append_result *out, struct bough_error *err)
{
    struct bough_append_options how = {
        .entries = e, .n = n, .owner = w->owner, .epoch = w->epoch
    };
    struct bough_append_result unused;

    return bough_append(w->store, w->a, w->run->session, &how, out ? out : &unused, err);
}

enum bough_rc work_open(struct run_work *w, const struct bough_entry_new *e,
                        struct bough_writing *out, struct bough_error *err)
{
    struct bough_message_open_options how = {
        .entry = e, .owner = w->owner, .epoch = w->epoch, .lease_ms = OPEN_LEASE_MS
    };
    struct bough_message_open_result got;
    enum bough_rc rc = bough_message_open(w->store, w->a, w->run->session, &how, &got, err);

    if (!rc)
        *out = got.writing;
    return rc;
}

enum bough_rc work_set(struct run_work *w, const struct bough_run_set_options *in,
                       struct bough_error *err)
{
    return bough_run_set(w->store, w->a, w->run->id, w->epoch, in, NULL, err);
}

enum bough_rc work_report(struct run_work *w, struct bough_error *err)
{
    struct bough_run_set_options set = w->set;

    w->set = (struct bough_run_set_options)BOUGH_RUN_SET_NOTHING;
    return set.turns < 0 ? BOUGH_OK : work_set(w, &set, err);
}

void work_tell(struct run_work *w, const char *type, const char *status, const char *title,
               const char *detail)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM };
    struct bough_error err = { 0 };
    struct json_writer j;
    struct buf b;

    buf_init(&b, TELL_MOST);
    jw_init(&j, &b);
    jw_obj(&j);
    jw_kv_cstr(&j, "customType", ACTIVITY_NOTE);
    jw_key(&j, "data");
    jw_obj(&j);
    jw_kv_cstr(&j, "type", type);
    jw_kv_cstr(&j, "status", status);
    jw_kv_cstr(&j, "title", title);
    jw_kv_cstr(&j, "detail", arena_printf(w->a, "%.*s", ERROR_TEXT, detail));
    jw_end_obj(&j);
    jw_end_obj(&j);
    e.data = buf_give(&b, w->a);
    if (work_append(w, &e, 1, NULL, &err))
        log_msg(LOG_WARN, "run id=%s msg=a row was not stored: %s", w->run->id, err.msg);
}

void work_end(struct run_work *w, enum bough_run_status status, const char *code, const char *fmt,
              ...)
{
    char text[ERROR_TEXT];
    va_list ap;

    if (w->ended)
        return;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof text, fmt, ap) < 0)
        *text = '\0';
    va_end(ap);
    w->ended = true;
    w->status = status;
    w->error_code = status == BOUGH_RUN_FAILED ? code : NULL;
    w->error = status == BOUGH_RUN_FAILED ? arena_strdup(w->a, text) : NULL;
}

void work_end_cancelled(struct run_work *w)
{
    if (work_flag(&w->wished))
        work_end(w, BOUGH_RUN_CANCELLED, NULL, "cancelled");
    else
        work_end(w, BOUGH_RUN_FAILED, "shutdown", "the server stopped");
}
