/* What the tests of Hecate's agent routes share. */
#include "run/hecate_world.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* A loopback pulls without waiting in between: the run works in other threads meanwhile. */
enum { PULLS = 100 * 1000 * 1000 };

static bool is_id(const char *p)
{
    size_t n = 0;

    while (isdigit((unsigned char)p[n]) || isupper((unsigned char)p[n]))
        n++;
    return n >= BOUGH_ID_LEN;
}

const char *masked(struct test *t, struct bough_str text)
{
    const char *p = text.p, *end = p + text.n, *out;
    struct buf b;

    buf_init(&b, 8 << 20);
    while (p < end) {
        if (is_id(p)) {
            p += BOUGH_ID_LEN;
            buf_putc(&b, '*');
        } else if (strncmp(p, "_at\":\"", 6) == 0) {
            buf_puts(&b, "_at\":\"*");
            p += 6 + strcspn(p + 6, "\"");
        } else if (strncmp(p, "_ms\":", 5) == 0) {
            buf_puts(&b, "_ms\":*");
            p += 5 + strspn(p + 5, "0123456789");
        } else {
            buf_putc(&b, *p++);
        }
    }
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

static struct json item(struct json list, size_t n)
{
    struct json_iter it = json_iter(list);

    while (json_next(&it))
        if (n-- == 0)
            return it.value;
    return (struct json){ 0 };
}

const char *at(struct test *t, struct got g, const char *path)
{
    char *rest = arena_strdup(t->arena, path), *name;
    struct bough_str text;
    struct json j;

    CHECK_OK(json_parse(t->arena, g.body, &j, &t->err));
    while ((name = strsep(&rest, ".")) && j.doc)
        j = isdigit((unsigned char)*name) ? item(j, (size_t)strtoul(name, NULL, 10))
                                          : json_member(j, name);
    if (!j.doc)
        return "(none)";
    text = json_raw(j);
    if (json_type(j) == JSON_STRING)
        CHECK(json_str(t->arena, j, &text));
    return arena_strndup(t->arena, text.p, text.n);
}

const char *new_chat(struct world *w, const char *body)
{
    struct got g = post(w, CHATS, body);

    CHECK_INT(200, g.status);
    return at(w->t, g, "data.id");
}

const char *in_chat(struct world *w, const char *chat, const char *rest)
{
    return arena_printf(w->t->arena, CHATS "/%s%s", chat, rest);
}

const char *in_task(struct world *w, const char *task, const char *rest)
{
    return arena_printf(w->t->arena, TASKS "/%s%s", task, rest);
}

struct got remove_path(struct world *w, const char *path)
{
    struct talk k = talk_begin_raw(w, "DELETE", path, "", str_of(""));

    return talk_end(&k);
}

const char *error_type(struct test *t, struct got g, int status)
{
    if (g.status != status)
        FAIL("%d, not %d: %s", g.status, status, g.body.p);
    CHECK(strcmp(at(t, g, "error.message"), "(none)") != 0);
    CHECK(strcmp(at(t, g, "error.user_message"), "(none)") != 0);
    CHECK(strcmp(at(t, g, "error.operator_action"), "(none)") != 0);
    CHECK(strcmp(at(t, g, "error.request_id"), "(none)") != 0);
    CHECK(strcmp(at(t, g, "error.trace_id"), "(none)") != 0);
    return at(t, g, "error.type");
}

struct got ask_as(struct world *w, const char *method, const char *path, const char *scopes,
                  const char *project, const char *body)
{
    struct test *t = w->t;
    char label[BOUGH_ID_LEN + 1];
    struct auth_token token = { .label = label, .project = project }, out;
    const char *secret;
    struct http_ask in = {
        .method = method, .target = path, .body = str_of(body), .via = HTTP_VIA_TCP, .pulls = PULLS
    };
    struct http_reply r;

    bough_id_new(label);
    CHECK_OK(auth_scopes_parse(scopes, &token.scopes, &t->err));
    CHECK_OK(auth_token_create(t->store, t->arena, &token, NULL, &secret, &out, &t->err));
    in.headers = arena_printf(t->arena, "Host: localhost:7331\r\nAuthorization: Bearer %s\r\n%s",
                              secret, *body ? "Content-Type: application/json\r\n" : "");
    auth_allow_host(w->auth, "127.0.0.1", 7331);
    http_loopback(api_app(w->api), t->arena, &in, &r);
    return (struct got){ .status = r.status, .head = "", .body = r.body, .complete = !r.cut };
}
