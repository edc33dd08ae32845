/* Tool servers of the configuration, for an external agent that starts them itself. */
#include <string.h>

#include "base/json/json.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "tools/inside.h"

enum { JSON_MOST = 4 << 20 };

/* {"name":N,"value":V} of "N=V" or "N: V". */
static void put_pairs(struct json_writer *w, const char *key, const char **pairs, char between)
{
    jw_key(w, key);
    jw_arr(w);
    for (; pairs && *pairs; pairs++) {
        const char *at = strchr(*pairs, between);

        if (!at)
            continue;
        jw_obj(w);
        jw_kv_str(w, "name", str_make(*pairs, (size_t)(at - *pairs)));
        at++;
        jw_kv_cstr(w, "value", at + strspn(at, between == ':' ? " " : ""));
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

static void put_server(struct json_writer *w, const struct remote *r, const struct surroundings *s)
{
    jw_obj(w);
    if (r->url)
        jw_kv_cstr(w, "type", "http");
    jw_kv_cstr(w, "name", r->name);
    if (r->url) {
        jw_kv_cstr(w, "url", r->url);
        put_pairs(w, "headers", s->headers, ':');
    } else {
        jw_kv_cstr(w, "command", s->argv[0]);
        jw_key(w, "args");
        jw_arr(w);
        for (const char **arg = s->argv + 1; *arg; arg++)
            jw_cstr(w, *arg);
        jw_end_arr(w);
        put_pairs(w, "env", s->env, '=');
    }
    jw_end_obj(w);
}

enum bough_rc tool_host_pass_on(struct tool_host *h, struct bough_arena *a,
                                const struct tool_pass_on *in, struct bough_str *out,
                                struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    struct json_writer w;
    struct buf b;

    buf_init(&b, JSON_MOST);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < in->n && !rc; i++) {
        const struct remote *r = remote_named(h, in->servers[i]);
        struct surroundings s;

        if (!r || r->off || (r->url && !in->http))
            continue;
        rc = remote_surroundings(a, r, in->workspace, &s, err);
        if (!rc)
            put_server(&w, r, &s);
    }
    jw_end_arr(&w);
    *out = buf_give(&b, a);
    return rc;
}
