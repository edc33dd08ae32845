/* A store to serve, and requests for it; see http.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "auth/auth.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "http.h"

static struct bough_str with_head(struct world *w, const char *first, const char *more,
                                  struct bough_str body)
{
    struct buf b;
    struct bough_str out;

    buf_init(&b, body.n + 4096);
    buf_printf(&b,
               "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: bench\r\nAccept: */*\r\n"
               "Authorization: Bearer %s\r\n%s",
               first, w->server.port, w->tokens[0], more);
    if (body.n)
        buf_printf(&b, "Content-Type: application/json\r\nContent-Length: %zu\r\n", body.n);
    buf_puts(&b, "\r\n");
    buf_put(&b, body.p, body.n);
    out = (struct bough_str){ arena_dup(w->a, b.p, b.n), b.n };
    buf_finish(&b);
    return out;
}

struct bough_str world_get(struct world *w, const char *path)
{
    return with_head(w, arena_printf(w->a, "GET %s", path), "", (struct bough_str){ 0 });
}

size_t world_fetch(struct world *w, const char *path, void (*sink)(void *user, size_t total),
                   void *user)
{
    static char in[256 * 1024];
    struct timeval blink = { 0, 2000 };
    int fd = connect_to(w->server.port);
    size_t total = 0;
    ssize_t n;

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &blink, sizeof blink);
    send_all(fd, with_head(w, arena_printf(w->a, "GET %s", path), "Connection: close\r\n",
                           (struct bough_str){ 0 }));
    for (;;) {
        n = recv(fd, in, sizeof in, 0);
        if (n < 0 && errno == EAGAIN) {
            if (sink)
                sink(user, total);
            continue;
        }
        if (n <= 0)
            break;
        if (!total && strncmp(in, "HTTP/1.1 2", 10) != 0) {
            fprintf(stderr, "bench: GET %s: %.*s\n", path, (int)n, in);
            exit(2);
        }
        total += (size_t)n;
        if (sink)
            sink(user, total);
    }
    close(fd);
    return total;
}

struct bough_str world_append(struct world *w, size_t session, size_t i)
{
    const struct message *m = message(i);
    struct bough_str out;
    struct json_writer j;
    struct buf b;

    buf_init(&b, 1024 * 1024);
    jw_init(&j, &b);
    jw_obj(&j);
    jw_key(&j, "entries");
    jw_arr(&j);
    jw_obj(&j);
    jw_kv_cstr(&j, "role", bough_role_name(m->role));
    jw_key(&j, "parts");
    jw_arr(&j);
    for (size_t k = 0; k < m->n; k++)
        jw_raw(&j, m->parts[k]);
    jw_end_arr(&j);
    jw_end_obj(&j);
    jw_end_arr(&j);
    jw_end_obj(&j);
    out = with_head(w, arena_printf(w->a, "POST /api/v1/sessions/%s/entries", w->ids[session]), "",
                    (struct bough_str){ b.p, b.n });
    buf_finish(&b);
    return out;
}

static void make_tokens(struct world *w, struct bough_store *s)
{
    for (size_t i = 0; i < WORLD_TOKENS; i++) {
        struct auth_token want = { .label = arena_printf(w->a, "bench-%zu", i),
                                   .scopes = AUTH_ALL },
                          made;
        struct bough_error err;

        must(auth_token_create(s, w->a, &want, NULL, &w->tokens[i], &made, &err), &err, "token");
    }
}

void world_start(struct bench *b, struct world *w, const char *name, size_t large)
{
    struct bough_store *s;

    *w = (struct world){ .dir = scratch(b, name), .a = bough_arena_create() };
    w->store = fs_join(w->a, w->dir, "store");
    syncs_skip(true);
    s = store_new(w->dir, true);
    for (size_t i = 0; i < WORLD_SESSIONS; i++) {
        session_new(s, "served", w->ids[i]);
        append_many(s, w->ids[i], i * WORLD_MESSAGES, WORLD_MESSAGES);
    }
    session_new(s, "large", w->large);
    append_many(s, w->large, 0, large);
    make_tokens(w, s);
    bough_store_close(&s);
    syncs_skip(false);
    w->server = peer_start((const char *const[]){
        bough_program(b, w->a), "--store", w->store, "serve", "--quiet", "--socket",
        fs_join(w->a, w->dir, "sock"), "--listen", "127.0.0.1:0", NULL });
    peer_rest(&w->server);
    for (size_t i = 0; i < WORLD_SESSIONS; i++) {
        w->gets[i] = world_get(w, arena_printf(w->a, "/api/v1/sessions/%s", w->ids[i]));
        w->contexts[i] = world_get(w, arena_printf(w->a, "/api/v1/sessions/%s/context", w->ids[i]));
    }
}

void world_stop(struct world *w)
{
    peer_stop(&w->server);
    scratch_remove(w->dir);
    bough_arena_destroy(w->a);
}
