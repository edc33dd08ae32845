/* Requests that the program makes itself: a route, run on behalf of a caller who was let in. */
#include "api/api.h"
#include "base/memory/arena.h"

/* An application like the API's own, whose gate knows the caller. */
struct asking {
    struct http_app app; /* first: a request points to it */
    const struct api_ask *ask;
};

static enum bough_rc gate(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct asking *x = (const struct asking *)req->app;

    (void)err; /* a refusal is written to `res` */
    req->who = arena_dup(req->arena, x->ask->who, sizeof *x->ask->who);
    if (x->ask->cancel)
        req->cancel = x->ask->cancel;
    req->call = arena_zalloc(req->arena, sizeof(struct api_call));
    return auth_admit(req, res);
}

void api_ask(struct api *a, struct bough_arena *arena, const struct api_ask *ask,
             struct http_reply *out)
{
    struct asking x = { *api_app(a), ask };
    struct http_ask in = { .method = ask->method,
                           .target = ask->target,
                           .body = ask->body,
                           .via = HTTP_VIA_UNIX,
                           .most = ask->most };

    x.app.gate = gate;
    in.headers = arena_printf(
        arena, "%s%s%s%s", ask->body.n ? "Content-Type: application/json\r\n" : "",
        ask->key ? "Idempotency-Key: " : "", ask->key ? ask->key : "", ask->key ? "\r\n" : "");
    http_loopback(&x.app, arena, &in, out);
}
