/* The key of a provider that repeats it in its errors. */
#include <stdio.h>
#include <string.h>

#include <bough/transfer.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define KEY "sk-canary-0123456789" /* as world_prepare() sets it */
#define ERROR "{\"error\":{\"type\":\"auth\",\"message\":\"the key " KEY " is not valid\"}}"
#define ASK "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"

static void keep_log(void *user, enum log_level level, const char *line)
{
    (void)level;
    buf_puts(user, line);
}

static bool keep_bytes(void *user, struct bough_str bytes)
{
    buf_put_str(user, bytes);
    return true;
}

/* An error that comes in small pieces, so that no piece has the whole key. */
static void say_error(struct world *w, int status)
{
    const char *text = arena_printf(
        w->t->arena,
        "HTTP/1.1 %d No\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n" ERROR,
        status, strlen(ERROR));

    fake_say(w->up, &(struct fake_answer){ .bytes = str_of(text), .piece = 7 });
}

static void check_without_key(const struct got *g, int status)
{
    CHECK_INT(status, g->status);
    CHECK(g->complete);
    CHECK(strstr(g->body.p, "the key ******************** is not valid"));
    CHECK_INT(strlen(ERROR), g->body.n);
}

STORE_TEST(a_key_that_its_provider_repeats_reaches_no_client_store_or_log)
{
    static const char *const paths[] = { "/v1/chat/completions", "/v1/messages" };
    static const int statuses[] = { 400, 401, 403, 404, 429, 500 };
    const char *session = new_session(t, "secret"), *base;
    struct buf log, all;
    struct world w;

    buf_init(&log, 1 << 20);
    buf_init(&all, 4 << 20);
    log_set_sink(keep_log, &log);
    world_open(t, &w);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++) {
            struct got g;

            say_error(&w, statuses[k]);
            g = ask(&w, paths[i], "", ASK);
            check_without_key(&g, statuses[k]);
        }
    base = arena_printf(t->arena, "/api/v1/sessions/%s", session);
    say_error(&w, 401);
    CHECK_INT(202, ask(&w, arena_printf(t->arena, "%s/turns", base), "",
                       "{\"content\":\"hi\",\"model\":\"m\"}")
                       .status);
    for (struct wait wait = { 0 }; !*calls_text(&w, session);)
        CHECK(wait_more(&wait));
    say_error(&w, 401);
    CHECK(!strstr(
        ask(&w, arena_printf(t->arena, "%s/compact", base), "", "{\"keep_tokens\":1}").body.p,
        "canary"));
    CHECK(strstr(fake_asked(w.up, 12), KEY)); /* it was sent, after all */
    world_close(&w);
    log_set_sink(NULL, NULL);
    CHECK_OK(bough_export_sessions(
        t->store, NULL, 0,
        &(struct bough_export_options){ .format = "bough", .write = keep_bytes, .user = &all },
        &t->err));
    CHECK(strstr(all.p, "is not valid"));
    CHECK(!memmem(all.p, all.n, "canary", 6));
    CHECK(!strstr(log.p, "canary"));
    buf_finish(&log);
    buf_finish(&all);
}
