/* The built-in shell: one command of the model, confined, with bounded time and output. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "child/child.h"
#include "tools/builtin/builtin.h"
#include "tools/builtin/confine.h"

enum {
    COMMAND_MOST = 64 * 1024,
    HEAD = 96 * 1024, /* bytes of output that are kept at the beginning */
    TAIL = 96 * 1024, /* and at the end */
    LOOK_MS = 50,
    TELL_MS = 500, /* between two reports of progress */
};

struct command {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct buf head;
    char *tail; /* a ring of TAIL bytes */
    size_t all; /* bytes of output */
    bool ended;
    int status;
    char why[100];
};

/* ---- output ---- */

static void keep_tail(struct command *c, struct bough_str bytes)
{
    size_t from = c->all - HEAD; /* bytes that went into the ring before */

    for (size_t i = bytes.n > TAIL ? bytes.n - TAIL : 0; i < bytes.n; i++)
        c->tail[(from + i) % TAIL] = bytes.p[i];
}

static void on_out(void *user, struct bough_str bytes)
{
    struct command *c = user;
    size_t n;

    pthread_mutex_lock(&c->lock);
    n = c->head.n < HEAD ? HEAD - c->head.n : 0;
    n = n < bytes.n ? n : bytes.n;
    buf_put(&c->head, bytes.p, n);
    c->all += n;
    bytes.p += n;
    bytes.n -= n;
    if (bytes.n)
        keep_tail(c, bytes);
    c->all += bytes.n;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void on_ended(void *user, int status, const char *why)
{
    struct command *c = user;

    pthread_mutex_lock(&c->lock);
    c->ended = true;
    c->status = status;
    snprintf(c->why, sizeof c->why, "%s", why);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static struct bough_str given(struct buf *out, struct bough_arena *a)
{
    struct bough_str text = out->n ? buf_give(out, a) : str_of("");

    buf_finish(out);
    return text;
}

/* The output so far: head, what was left out, tail. */
static struct bough_str output(struct command *c, struct bough_arena *a)
{
    size_t behind, kept, from;
    struct buf out;

    buf_init(&out, HEAD + TAIL + 256);
    pthread_mutex_lock(&c->lock);
    buf_put_str(&out, buf_str(&c->head));
    behind = c->all - c->head.n;
    kept = behind < TAIL ? behind : TAIL;
    if (behind > kept)
        buf_printf(&out, "\n[... %zu bytes left out ...]\n", behind - kept);
    from = behind - kept;
    for (size_t i = 0; i < kept; i++)
        buf_putc(&out, c->tail[(from + i) % TAIL]);
    pthread_mutex_unlock(&c->lock);
    return given(&out, a);
}

/* Valid UTF-8 without NUL: everything else becomes U+FFFD. */
static struct bough_str readable(struct bough_arena *a, struct bough_str text)
{
    struct buf out;

    buf_init(&out, 3 * (HEAD + TAIL + 256));
    while (text.n) {
        uint32_t cp = 0;
        size_t n = utf8_get(text.p, text.n, &cp);

        if (n && cp)
            buf_put(&out, text.p, n);
        else
            buf_puts(&out, "\xef\xbf\xbd");
        n = n ? n : 1;
        text.p += n;
        text.n -= n;
    }
    return given(&out, a);
}

/* ---- running ---- */

static const char **environment(struct builtin_call *c, const char *tmp)
{
    const char *const *from = c->in->environment;
    const char **env = NULL;
    size_t n = 0;

    for (; from && *from; from++)
        if (strncmp(*from, "TMPDIR=", 7) != 0) {
            env = arena_room(c->a, env, n, sizeof *env);
            env[n++] = *from;
        }
    env = arena_room(c->a, env, n, sizeof *env);
    env[n++] = arena_printf(c->a, "TMPDIR=%s", tmp);
    env = arena_room(c->a, env, n, sizeof *env);
    env[n] = NULL;
    return env;
}

static enum bough_rc start(struct builtin_call *c, struct command *cmd, const char *tmp,
                           int64_t seconds, struct child **out, struct bough_error *err)
{
    const char *argv[CONFINE_ARGUMENTS + 1] = {
        "/proc/self/exe",
        [CONFINE_WORD_AT] = CONFINE_WORD,
        [CONFINE_HOW] = c->in->shell->confine ? "confine" : "free",
        [CONFINE_WORKSPACE] = c->in->workspace,
        [CONFINE_TMP] = tmp,
        [CONFINE_SECONDS] = arena_printf(c->a, "%lld", (long long)seconds * 4),
        [CONFINE_COMMAND] = arg_cstr(c, "command", ""),
    };

    return child_start(c->in->children,
                       &(struct child_options){ .argv = argv,
                                                .env = environment(c, tmp),
                                                .dir = c->in->workspace,
                                                .on = { on_out, on_out, on_ended },
                                                .user = cmd },
                       out, err);
}

static bool wait_a_little(struct command *cmd)
{
    struct timespec until;
    bool ended;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&cmd->lock);
    if (!cmd->ended)
        (void)pthread_cond_timedwait(&cmd->changed, &cmd->lock, &until);
    ended = cmd->ended;
    pthread_mutex_unlock(&cmd->lock);
    return ended;
}

static void tell_progress(struct builtin_call *c, struct command *cmd, int64_t *told_us,
                          size_t *told)
{
    struct bough_arena *tmp;
    size_t all;

    pthread_mutex_lock(&cmd->lock);
    all = cmd->all;
    pthread_mutex_unlock(&cmd->lock);
    if (all == *told || mono_us() - *told_us < TELL_MS * 1000 || !c->call->progress)
        return;
    *told = all;
    *told_us = mono_us();
    tmp = bough_arena_create();
    builtin_progress(c, readable(tmp, output(cmd, tmp)));
    bough_arena_destroy(tmp);
}

/* Wait until it ends, is cancelled or takes too long. True: it took too long. */
static bool wait_for(struct builtin_call *c, struct command *cmd, struct child *child,
                     int64_t seconds)
{
    int64_t until = mono_us() + seconds * 1000000, told_us = 0;
    bool ending = false, late = false;
    size_t told = 0;

    while (!wait_a_little(cmd)) {
        tell_progress(c, cmd, &told_us, &told);
        late = late || (!ending && mono_us() > until);
        if (!ending && (late || builtin_cancelled(c))) {
            child_end(child);
            ending = true;
        }
    }
    return late;
}

static void report(struct builtin_call *c, struct command *cmd, bool late, int64_t seconds)
{
    struct bough_str text = readable(c->a, output(cmd, c->a));
    int code = WIFEXITED(cmd->status) ? WEXITSTATUS(cmd->status) : -1;
    const char *how = c->out->cancelled ? "cancelled"
                      : late ? arena_printf(c->a, "ended after %lld seconds", (long long)seconds)
                             : cmd->why;

    c->out->is_error = c->out->cancelled || late || code != 0;
    c->out->text = c->out->is_error
                       ? str_of(arena_printf(c->a, "%.*s%s[%s]", (int)text.n, text.p,
                                             text.n && text.p[text.n - 1] != '\n' ? "\n" : "", how))
                   : text.n ? text
                            : str_of("(no output)");
    c->out->details = str_of(arena_printf(c->a, "{\"exit\":%d,\"bytes\":%zu,\"confined\":%s}", code,
                                          cmd->all, c->in->shell->confine ? "true" : "false"));
}

static void run_in(struct builtin_call *c, struct command *cmd, const char *tmp)
{
    int64_t most = c->in->shell->most_s, seconds = arg_int(c, "timeout", most);
    struct child *child;
    struct bough_error err;
    bool late;

    seconds = seconds < most ? seconds : most;
    if (start(c, cmd, tmp, seconds, &child, &err)) {
        builtin_fail(c, "%s", err.msg);
        return;
    }
    late = wait_for(c, cmd, child, seconds);
    child_release(child);
    report(c, cmd, late, seconds);
}

static void run(struct builtin_call *c)
{
    struct command cmd = { .tail = arena_alloc(c->a, TAIL) };
    char *tmp = fs_temp_dir(c->a, "bough-shell");
    pthread_condattr_t attr;

    if (!tmp) {
        builtin_fail(c, "there is no room for temporary files");
        return;
    }
    buf_init(&cmd.head, HEAD);
    pthread_mutex_init(&cmd.lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&cmd.changed, &attr);
    pthread_condattr_destroy(&attr);
    run_in(c, &cmd, tmp);
    pthread_cond_destroy(&cmd.changed);
    pthread_mutex_destroy(&cmd.lock);
    buf_finish(&cmd.head);
    (void)fs_remove_tree(tmp);
}

/* ---- the table ---- */

static const struct builtin_field run_fields[] = {
    { "command", FIELD_TEXT, "A command for sh, run in the workspace", .most = COMMAND_MOST,
      .required = true },
    { "timeout", FIELD_INTEGER, "Seconds after which it is ended", .least = 1, .most = 3600 },
    { 0 },
};

static const struct builtin_tool tools[] = {
    { "run", "Run a command",
      "Run a command with sh in the workspace. It can write to the workspace and to $TMPDIR only, "
      "and has no network.",
      "execute", run_fields, false, run },
    { 0 },
};

static const char *missing(const struct builtin_scene *in)
{
    if (!in->shell->on)
        return "it is off (on = yes in [tools \"shell\"] turns it on)";
    if (in->dir < 0)
        return "it needs a workspace";
    if (!in->children)
        return "programs cannot be started here";
    return in->shell->confine ? confine_missing() : NULL;
}

const struct builtin_server builtin_shell = { "shell", tools, missing };
