/* The process of an agent: its lines, in and out. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "acp/inside.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum {
    WAITING_MOST = 8 << 20, /* bytes of lines that were not taken; then the child is not read */
    SECRET_LEAST = 6,       /* shorter values are too common to be blanked */
};

/* ---- secrets ---- */

/* Overwrite every occurrence with x: lengths stay as they are, and JSON stays JSON. */
static void blank(char *p, size_t n, const char *secret)
{
    size_t len = strlen(secret);
    char *at = p;

    while ((at = memmem(at, n - (size_t)(at - p), secret, len))) {
        memset(at, 'x', len);
        at += len;
    }
}

static void blank_secrets(const struct acp *p, char *bytes, size_t n)
{
    for (const char **s = p->secrets; s && *s; s++)
        if (strlen(*s) >= SECRET_LEAST)
            blank(bytes, n, *s);
}

struct bough_str acp_hide(const struct acp *p, struct bough_arena *a, struct bough_str text)
{
    char *copy = arena_strndup(a, text.p, text.n);

    blank_secrets(p, copy, text.n);
    return str_make(copy, text.n);
}

/* ---- what was said ---- */

/* With the lock held. Lines that do not fit any more are left out. */
static void keep_line(struct acp *p, const char *mark, struct bough_str line)
{
    if (line.n + 3 > p->raw.max - p->raw.n)
        return;
    buf_puts(&p->raw, mark);
    buf_put_str(&p->raw, line);
    buf_putc(&p->raw, '\n');
}

void acp_keep_raw(struct acp *p)
{
    pthread_mutex_lock(&p->lock);
    buf_reset(&p->raw);
    pthread_mutex_unlock(&p->lock);
}

struct bough_str acp_raw(struct acp *p, struct bough_arena *a)
{
    struct bough_str s;

    pthread_mutex_lock(&p->lock);
    s = str_make(arena_strndup(a, p->raw.p, p->raw.n), p->raw.n);
    pthread_mutex_unlock(&p->lock);
    return s;
}

struct bough_str acp_stderr(struct acp *p, struct bough_arena *a)
{
    size_t n, skip;
    char *s;

    pthread_mutex_lock(&p->lock);
    n = p->err.n;
    skip = n > ACP_STDERR_MOST ? n - ACP_STDERR_MOST : 0;
    s = arena_strndup(a, p->err.p + skip, n - skip);
    pthread_mutex_unlock(&p->lock);
    blank_secrets(p, s, n - skip);
    return str_make(s, n - skip);
}

/* ---- events of the child, on the loop thread ---- */

/* Between turns no thread takes messages: refuse a request, so that the agent does not wait. */
static bool refuse_at_rest(struct acp *p, struct bough_str line)
{
    struct bough_arena *a = bough_arena_create();
    struct rpc_message m;
    struct rpc_bad bad;
    bool request = rpc_read(a, line, &m, &bad) && m.kind == RPC_REQUEST;

    if (request && strcmp(m.method, "session/request_permission") == 0)
        acp_cancel_ask(p, m.id);
    else if (request)
        acp_refuse(p, m.id, RPC_NO_METHOD, "bough does not offer this");
    bough_arena_destroy(a);
    return request;
}

static struct acp_batch *new_batch(void)
{
    struct bough_arena *a = bough_arena_create();
    struct acp_batch *b = arena_zalloc(a, sizeof *b);

    b->a = a;
    b->last = &b->first;
    return b;
}

static void add_line(struct acp *p, struct bough_str text, bool rests)
{
    struct acp_batch *b = p->come = p->come ? p->come : new_batch();
    struct acp_line *l = arena_zalloc(b->a, sizeof *l);
    char *copy = arena_strndup(b->a, text.p, text.n);

    blank_secrets(p, copy, text.n);
    l->text = str_make(copy, text.n);
    if (rests && refuse_at_rest(p, l->text))
        return;
    *b->last = l;
    b->last = &l->next;
    b->bytes += text.n;
}

/* Give the lines that have come to the thread that takes them. */
static void hand_over(struct acp *p)
{
    if (!p->come)
        return;
    pthread_mutex_lock(&p->lock);
    if (!p->first)
        pthread_cond_broadcast(&p->changed);
    *p->last = p->come;
    p->last = &p->come->next;
    p->waiting += p->come->bytes;
    p->paused = p->waiting > WAITING_MOST;
    if (p->paused)
        child_pause(p->child, true);
    pthread_mutex_unlock(&p->lock);
    p->come = NULL;
}

static void on_out(void *user, struct bough_str bytes)
{
    struct acp *p = user;
    enum rpc_line got;
    bool rests;

    pthread_mutex_lock(&p->lock);
    rests = p->rests;
    pthread_mutex_unlock(&p->lock);
    while ((got = rpc_lines_next(&p->lines, &bytes)) != RPC_LINE_NONE) {
        if (got == RPC_LINE) {
            add_line(p, buf_str(&p->lines.line), rests);
            continue;
        }
        hand_over(p);
        /* It may have been an answer that is waited for. */
        pthread_mutex_lock(&p->lock);
        p->too_long = true;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
    hand_over(p);
}

/* The last ACP_STDERR_MOST bytes and up to as many before them. */
static void on_err(void *user, struct bough_str bytes)
{
    struct acp *p = user;

    pthread_mutex_lock(&p->lock);
    if (p->err.n + bytes.n > p->err.max && p->err.n > ACP_STDERR_MOST) {
        size_t drop = p->err.n - ACP_STDERR_MOST;

        memmove(p->err.p, p->err.p + drop, ACP_STDERR_MOST);
        p->err.n = ACP_STDERR_MOST;
    }
    buf_put_str(&p->err, bytes);
    pthread_mutex_unlock(&p->lock);
}

static void on_ended(void *user, int status, const char *why)
{
    struct acp *p = user;

    (void)status;
    pthread_mutex_lock(&p->lock);
    p->gone = true;
    snprintf(p->why, sizeof p->why, "the agent's process %s", why);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* ---- taking and sending lines ---- */

static struct timespec deadline(int64_t ms)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* All lines that have come, into the hands of the thread that takes them. With the lock held. */
static void take_all(struct acp *p)
{
    for (const struct acp_batch *b = p->first; b; b = b->next)
        for (const struct acp_line *l = b->first; l; l = l->next)
            keep_line(p, "< ", l->text);
    p->taken = p->first;
    p->first = NULL;
    p->last = &p->first;
    p->waiting = 0;
    if (p->paused) {
        p->paused = false;
        child_pause(p->child, false);
    }
}

/* Wait for lines, at most `ms`. */
static void wait_for_lines(struct acp *p, int64_t ms)
{
    struct timespec until = ms > 0 ? deadline(ms) : (struct timespec){ 0 };
    int late = 0;

    pthread_mutex_lock(&p->lock);
    while (!p->first && !p->gone && !p->too_long && !late && ms > 0)
        late = pthread_cond_timedwait(&p->changed, &p->lock, &until);
    if (!p->too_long)
        take_all(p);
    pthread_mutex_unlock(&p->lock);
}

static void free_batches(struct acp_batch *b)
{
    while (b) {
        struct acp_batch *next = b->next;

        bough_arena_destroy(b->a);
        b = next;
    }
}

/* Those whose lines were all taken. */
static void drop_empty(struct acp *p)
{
    while (p->taken && !p->taken->first) {
        struct acp_batch *b = p->taken;

        p->taken = b->next;
        bough_arena_destroy(b->a);
    }
}

const struct acp_line *acp_take(struct acp *p, int64_t ms)
{
    const struct acp_line *l;

    drop_empty(p);
    if (!p->taken)
        wait_for_lines(p, ms);
    drop_empty(p); /* a batch may have none */
    l = p->taken ? p->taken->first : NULL;
    if (l)
        p->taken->first = l->next;
    return l;
}

void acp_send(struct acp *p, struct buf *line)
{
    pthread_mutex_lock(&p->lock);
    keep_line(p, "> ", buf_str(line));
    pthread_mutex_unlock(&p->lock);
    buf_putc(line, '\n');
    if (p->child && child_write(p->child, buf_str(line), NULL) != BOUGH_OK)
        child_end(p->child); /* it does not read, or is gone: acp_next() says so */
}

void acp_rest(struct acp *p, bool rests)
{
    pthread_mutex_lock(&p->lock);
    p->rests = rests;
    pthread_mutex_unlock(&p->lock);
}

bool acp_gone(struct acp *p)
{
    bool gone;

    pthread_mutex_lock(&p->lock);
    gone = p->gone || p->too_long;
    pthread_mutex_unlock(&p->lock);
    return gone;
}

/* ---- life ---- */

static void keep_secrets(struct acp *p, const char *const *values)
{
    size_t n = 0;

    while (values && values[n])
        n++;
    p->secrets = arena_array(p->arena, n + 1, sizeof *p->secrets);
    for (size_t i = 0; i < n; i++)
        p->secrets[i] = arena_strdup(p->arena, values[i]);
}

enum bough_rc acp_open(struct acp **out, const struct acp_config *config, struct bough_error *err)
{
    struct acp *p = mem_zalloc(sizeof *p);
    struct child_options child = { .argv = config->argv,
                                   .env = config->env,
                                   .dir = config->dir,
                                   .most_memory = config->most_memory,
                                   .on = { on_out, on_err, on_ended },
                                   .user = p };
    struct child *c = NULL;
    enum bough_rc rc;

    p->arena = bough_arena_create();
    p->session = p->agent.name = p->agent.version = "";
    p->agent.auth = str_of("[]");
    p->last = &p->first;
    rpc_lines_init(&p->lines, ACP_LINE_MOST);
    buf_init(&p->raw, ACP_RAW_MOST);
    buf_init(&p->err, 2 * ACP_STDERR_MOST);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    keep_secrets(p, config->secrets);
    pthread_mutex_lock(&p->lock); /* events that come early wait until `child` is set */
    rc = child_start(config->children, &child, &c, err);
    p->child = c;
    pthread_mutex_unlock(&p->lock);
    if (rc) {
        acp_close(p);
        return rc;
    }
    *out = p;
    return BOUGH_OK;
}

void acp_close(struct acp *p)
{
    if (!p)
        return;
    if (p->child)
        child_release(p->child);
    free_batches(p->first);
    free_batches(p->taken);
    free_batches(p->come);
    acp_forget_options(p);
    rpc_lines_finish(&p->lines);
    buf_finish(&p->raw);
    buf_finish(&p->err);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    bough_arena_destroy(p->arena);
    mem_free(p);
}
