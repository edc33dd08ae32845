/* llhttp behind llhttp_shim.h, in its own file because names clash. Only in fuzz builds. */
#include "fuzz/llhttp_shim.h"

#ifdef WITH_LLHTTP
#include <llhttp/llhttp.h>

enum { MAX = 1 << 20 };

/* The state of parsing one message; llhttp's user pointer refers to it. */
struct progress {
    struct llhttp_heard *h;
    bool in_body, in_value, done;
};

static void end_value(struct progress *t)
{
    struct buf *b = &t->h->headers;

    if (!t->in_value)
        return;
    while (b->n && (b->p[b->n - 1] == ' ' || b->p[b->n - 1] == '\t'))
        b->n--;
    buf_putc(b, '\n');
    t->in_value = false;
}

static int on_url(llhttp_t *p, const char *at, size_t n)
{
    struct progress *t = p->data;

    buf_put(&t->h->target, at, n);
    return 0;
}

static int on_field(llhttp_t *p, const char *at, size_t n)
{
    struct progress *t = p->data;

    if (t->in_body)
        return 0; /* trailers, which we drop */
    end_value(t);
    for (size_t i = 0; i < n; i++)
        buf_putc(&t->h->headers, at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 32) : at[i]);
    return 0;
}

static int on_value(llhttp_t *p, const char *at, size_t n)
{
    struct progress *t = p->data;

    if (t->in_body)
        return 0;
    if (!t->in_value)
        buf_putc(&t->h->headers, ':');
    t->in_value = true;
    buf_put(&t->h->headers, at, n);
    return 0;
}

static int on_head(llhttp_t *p)
{
    struct progress *t = p->data;

    end_value(t);
    t->in_body = true;
    return 0;
}

static int on_body(llhttp_t *p, const char *at, size_t n)
{
    struct progress *t = p->data;

    buf_put(&t->h->body, at, n);
    return 0;
}

static int on_done(llhttp_t *p)
{
    struct progress *t = p->data;

    t->done = true;
    return HPE_PAUSED;
}

void llhttp_hear(struct llhttp_heard *h, const char *text, size_t n)
{
    struct progress t = { .h = h };
    llhttp_settings_t s;
    llhttp_errno_t e;
    llhttp_t p;

    *h = (struct llhttp_heard){ .why = "" };
    buf_init(&h->target, MAX);
    buf_init(&h->headers, MAX);
    buf_init(&h->body, MAX);
    llhttp_settings_init(&s);
    s.on_url = on_url;
    s.on_header_field = on_field;
    s.on_header_value = on_value;
    s.on_headers_complete = on_head;
    s.on_body = on_body;
    s.on_message_complete = on_done;
    llhttp_init(&p, HTTP_REQUEST, &s);
    p.data = &t;
    e = llhttp_execute(&p, text, n);
    h->upgrade = e == HPE_PAUSED_UPGRADE;
    h->accepted = h->upgrade || (e == HPE_PAUSED && t.done);
    h->why = p.reason ? p.reason : llhttp_errno_name(e);
    h->method = llhttp_method_name(p.method);
    h->minor = p.http_minor;
}

void llhttp_forget(struct llhttp_heard *h)
{
    buf_finish(&h->target);
    buf_finish(&h->headers);
    buf_finish(&h->body);
}
#endif
