/* Chats in which nothing happens: their runs do not wait for ever. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/os/log.h"
#include "core/activity/activity.h"
#include "run/runner.h"
#include "store/engine/engine.h"

enum { EVERY_MOST_MS = 5 * 60 * 1000, WAITING_MOST = 10000 };

int64_t idle_every_ms(const struct run_settings *s)
{
    int64_t quarter = s->chat.idle_ms / 4;

    if (!s->chat.idle_ms)
        return 0;
    return quarter < 1 ? 1 : quarter < EVERY_MOST_MS ? quarter : EVERY_MOST_MS;
}

bool chat_is_idle(const struct run_settings *s, const struct bough_session *session,
                  const struct bough_run *run, int64_t now)
{
    if (!s->chat.idle_ms)
        return false;
    if (run && run->cancel && strcmp(run->cancel->by, ACTIVITY_BY_IDLE) == 0)
        return true;
    if (run && (run->status == BOUGH_RUN_RUNNING || run->status == BOUGH_RUN_QUEUED))
        return false;
    return now - session->updated >= s->chat.idle_ms;
}

static void end_one(struct runner *r, struct bough_store *store, struct bough_arena *a,
                    const struct bough_run *run)
{
    struct bough_run_cancel_options how = { .keep_queue = true };
    struct bough_error err = { 0 };
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(store, a, run->session, &s, &err);

    if (rc || strcmp(s->role_name, RUN_CHAT_ROLE) != 0 || run->cancel ||
        !chat_is_idle(&r->settings, s, run, env_now(&store->e->env)))
        return;
    how.note = arena_printf(a, "nothing happened in this chat for %lld seconds",
                            (long long)(r->settings.chat.idle_ms / 1000));
    rc = bough_run_cancel(store, a, run->id, &how, NULL, &err);
    if (rc && rc != BOUGH_CONFLICT)
        log_msg(LOG_WARN, "run id=%s msg=an idle run was not cancelled: %s", run->id, err.msg);
}

void runner_end_idle(struct runner *r)
{
    struct bough_run_list_options waiting = { .status = "awaiting_approval",
                                              .limit = WAITING_MOST };
    struct bough_arena *a = bough_arena_create();
    struct bough_store_scoped_options bounds = { .deadline_ms = RUN_STORE_MS,
                                                 .principal = ACTIVITY_BY_IDLE };
    struct bough_store *store = bough_store_scoped(r->config.store, &bounds);
    struct bough_error err = { 0 };
    struct bough_runs runs = { 0 };

    if (bough_run_list(store, a, &waiting, &runs, &err))
        log_msg(LOG_WARN, "run msg=idle runs were not looked for: %s", err.msg);
    for (size_t i = 0; i < runs.n; i++)
        end_one(r, store, a, &runs.at[i]);
    bough_store_close(&store);
    bough_arena_destroy(a);
}
