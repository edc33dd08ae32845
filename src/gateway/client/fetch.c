/* A GET that waits for the whole answer. */
#include "gateway/client/fetch.h"

#include "base/env.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "gateway/client/easy.h"

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

static int on_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up)
{
    struct fetching *f = user;

    (void)total;
    (void)now;
    (void)up_total;
    (void)up;
    if (f->how->beat)
        f->how->beat(f->how->user);
    f->silent = f->how->silent_ms && mono_us() - f->heard_us > f->how->silent_ms * 1000;
    return f->silent || (f->stop && __atomic_load_n(f->stop, __ATOMIC_ACQUIRE));
}

static void set_callbacks(CURL *c, struct fetching *f)
{
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, f);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, f);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

bool fetch(struct bough_arena *a, const struct fetch_options *how, struct fetch_answer *out)
{
    struct easy_options options = { .url = how->url,
                                    .method = how->body.n ? "POST" : "GET",
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
    code = curl_easy_perform(e.curl);
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
