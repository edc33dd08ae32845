/* Header fields that pass: lists of names, where "*" at an end stands for anything. */
#include "gateway/relay/headers.h"

#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *const up[] = {
    "content-type",
    "accept",
    "user-agent",
    "anthropic-*",
    "openai-*",
    "x-stainless-*",
    "x-app",
    "x-claude-*",
    "x-codex-*",
    "x-openai-*",
    "originator",
    "version",
    "session-id",
    "session_id",
    "thread-id",
    "x-session-id",
    "x-session-affinity",
    "x-parent-session-id",
    "x-client-request-id",
    "idempotency-key",
    "traceparent",
    NULL,
};

static const char *const down[] = {
    "retry-after",   "*request-id",    "openai-*",  "anthropic-*",
    "x-ratelimit-*", "x-should-retry", "x-codex-*", NULL,
};

static bool matches(const char *pattern, struct bough_str name)
{
    size_t n = strlen(pattern);

    if (pattern[0] == '*')
        return name.n >= n - 1 && strncasecmp(name.p + name.n - (n - 1), pattern + 1, n - 1) == 0;
    if (pattern[n - 1] == '*')
        return name.n >= n - 1 && strncasecmp(name.p, pattern, n - 1) == 0;
    return name.n == n && strncasecmp(name.p, pattern, n) == 0;
}

static bool listed(const char *const *list, struct bough_str name)
{
    for (; *list; list++)
        if (matches(*list, name))
            return true;
    return false;
}

/* ---- to the provider ---- */

static bool is_key(struct bough_str name)
{
    return str_is(name, "authorization") || str_is(name, "x-api-key");
}

const char *const *headers_up(const struct http_req *req, const struct provider_target *to)
{
    size_t own = 0, n = 0;
    const char **out;

    while (to->headers && to->headers[own])
        own++;
    out = arena_array(req->arena, req->nheaders + own + 1, sizeof *out);
    for (size_t i = 0; i < req->nheaders; i++) {
        const struct http_header *h = &req->headers[i];

        if (listed(up, h->name) || (to->client_key && is_key(h->name)))
            out[n++] = arena_printf(req->arena, "%s: %s", h->name.p, h->value.p);
    }
    for (size_t i = 0; i < own; i++)
        out[n++] = to->headers[i];
    return out;
}

/* ---- to the client ---- */

/* Take the next field off `lines`. */
static bool next_field(struct bough_str *lines, struct bough_str *name, struct bough_str *value)
{
    while (lines->n) {
        const char *end = memchr(lines->p, '\n', lines->n), *colon;
        size_t n = end ? (size_t)(end - lines->p) : lines->n;
        const char *p = lines->p;

        lines->p += n + (end ? 1 : 0);
        lines->n -= n + (end ? 1 : 0);
        while (n && (p[n - 1] == '\r' || p[n - 1] == ' ' || p[n - 1] == '\t'))
            n--;
        colon = memchr(p, ':', n);
        if (!colon)
            continue;
        *name = str_make(p, (size_t)(colon - p));
        *value = str_make(colon + 1, n - name->n - 1);
        while (value->n && (*value->p == ' ' || *value->p == '\t'))
            *value = str_make(value->p + 1, value->n - 1);
        return true;
    }
    return false;
}

const char *headers_find(struct bough_arena *a, struct bough_str lines, const char *name)
{
    struct bough_str field, value;

    while (next_field(&lines, &field, &value))
        if (matches(name, field))
            return arena_strndup(a, value.p, value.n);
    return NULL;
}

/* A name becomes a header of ours only if it is a plain word. */
static bool sane_name(struct bough_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
                    name.p[i]) ||
            !name.p[i])
            return false;
    return name.n > 0 && name.n <= 100;
}

void headers_down(struct http_req *req, struct http_res *res, struct bough_str lines)
{
    struct bough_str name, value;

    while (next_field(&lines, &name, &value)) {
        if (!listed(down, name) || !sane_name(name))
            continue;
        if (matches("x-request-id",
                    name)) /* clients show the provider's; ours is x-bough-request */
            http_set_id(res, arena_strndup(req->arena, value.p, value.n));
        else
            http_set(res, arena_strndup(req->arena, name.p, name.n),
                     arena_strndup(req->arena, value.p, value.n));
    }
}
