/* A GET that waits for the whole answer. */
#include "gateway/client/fetch.h"

#include "base/env.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "gateway/client/easy.h"

enum { POLL_MS = 100 };

struct fetching {
    struct buf body;
    const bool *stop;
    const struct fetch_options *how;
    CURL *curl;
    int64_t heard_us; /* when the last byte came */
    bool silent;      /* it was given up because none came */
};

/* A shorter count than was offered ends the transfer. */
static size_t on_body(char *p, size_t size, size_t n, void *user)
{
    struct fetching *f = user;
    long status = 0;

    f->heard_us = mono_us();
    curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &status);
    if (f->how->take && status / 100 == 2) {
        f->how->take(f->how->user, p, size * n);
        return size * n;
    }
    buf_put(&f->body, p, size * n);
    return f->body.over ? 0 : size * n;
}

static size_t on_field(char *p, size_t size, size_t n, void *user)
{
    struct fetching *f = user;
    size_t line = size * n;

    while (line && (p[line - 1] == '\n' || p[line - 1] == '\r'))
        line--;
    f->how->field(f->how->user, p, line);
    return size * n;
}

static void set_callbacks(CURL *c, struct fetching *f)
{
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, f);
    if (f->how->field) {
        curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_field);
        curl_easy_setopt(c, CURLOPT_HEADERDATA, f);
    }
}

/* Is it to be given up? */
static bool given_up(struct fetching *f)
{
    if (f->how->beat)
        f->how->beat(f->how->user);
    f->silent = f->how->silent_ms && mono_us() - f->heard_us > f->how->silent_ms * 1000;
    return f->silent || (f->stop && __atomic_load_n(f->stop, __ATOMIC_ACQUIRE));
}

/* curl_easy_perform() looks at its callbacks once a second only. */
static CURLcode perform(struct fetching *f)
{
    CURLM *multi = curl_multi_init();
    CURLcode code = CURLE_OUT_OF_MEMORY;
    int running = 1, left;
    CURLMsg *m;

    if (!multi)
        return code;
    if (curl_multi_add_handle(multi, f->curl))
        running = 0;
    while (running) {
        if (curl_multi_perform(multi, &running))
            break;
        if (running && given_up(f)) {
            code = CURLE_ABORTED_BY_CALLBACK;
            break;
        }
        if (running && curl_multi_poll(multi, NULL, 0, POLL_MS, NULL))
            break;
    }
    while ((m = curl_multi_info_read(multi, &left)))
        if (m->msg == CURLMSG_DONE)
            code = m->data.result;
    curl_multi_remove_handle(multi, f->curl);
    curl_multi_cleanup(multi);
    return code;
}

bool fetch(struct bough_arena *a, const struct fetch_options *how, struct fetch_answer *out)
{
    struct easy_options options = { .url = how->url,
                                    .method = how->method   ? how->method
                                              : how->body.n ? "POST"
                                                            : "GET",
                                    .headers = how->headers,
                                    .body = how->body,
                                    .allow_private = how->allow_private,
                                    .connect_ms = how->connect_ms,
                                    .whole_ms = how->whole_ms };
    struct fetching f = { .stop = how->stop, .how = how, .heard_us = mono_us() };
    curl_off_t first = 0;
    struct easy e;
    long status = 0;
    CURLcode code;

    *out = (struct fetch_answer){ .why = "out of memory" };
    if (!easy_init(&e, &options))
        return false;
    buf_init(&f.body, how->most);
    f.curl = e.curl;
    set_callbacks(e.curl, &f);
    code = perform(&f);
    curl_easy_getinfo(e.curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(e.curl, CURLINFO_STARTTRANSFER_TIME_T, &first);
    if (code)
        out->why = f.body.over ? "its answer is too large"
                   : f.silent  ? "it was silent for too long"
                               : easy_why(&e, code);
    out->status = (int)status;
    out->ms = first / 1000;
    out->body = buf_give(&f.body, a);
    buf_finish(&f.body);
    easy_finish(&e);
    return code == CURLE_OK;
}
