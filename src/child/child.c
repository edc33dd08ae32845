/* Children as their users see them: start, write, pause, end, release. From any thread. */
#include "child/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "child/inside.h"
#include "child/keeper.h"

enum { ARGUMENTS_MOST = 1024 };

/* ---- finding the program ---- */

static const char *variable(const char *const *env, const char *name)
{
    size_t n = strlen(name);

    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

const char *child_lookup(struct bough_arena *a, const char *name, const char *const *env)
{
    const char *path = variable(env, "PATH");

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? arena_strdup(a, name) : NULL;
    while (path && *name) {
        size_t n = strcspn(path, ":");

        if (*path == '/') {
            char *file = arena_printf(a, "%.*s/%s", (int)n, path, name);

            if (access(file, X_OK) == 0)
                return file;
        }
        path = path[n] ? path + n + 1 : NULL;
    }
    return NULL;
}

/* ---- starting ---- */

static char **copy_words(struct bough_arena *a, const char *const *words, size_t skip)
{
    size_t n = 0;
    char **out;

    while (words && words[n] && n < ARGUMENTS_MOST)
        n++;
    out = arena_array(a, skip + n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[skip + i] = arena_strdup(a, words[i]);
    return out;
}

static struct child *make(struct children *all, const struct child_options *in, const char *file)
{
    struct child *c = mem_zalloc(sizeof *c);
    struct bough_arena *a = bough_arena_create();

    *c = (struct child){ .all = all, .on = in->on, .user = in->user, .arena = a };
    c->argv = copy_words(a, in->argv, KEEPER_ARGV);
    c->argv[0] = arena_strdup(a, KEEPER_NAME);
    c->argv[KEEPER_WORD_AT] = arena_strdup(a, KEEPER_WORD);
    c->argv[KEEPER_MEMORY] = arena_printf(a, "%lld", (long long)in->most_memory);
    c->argv[KEEPER_FILES] = arena_printf(a, "%lld", (long long)in->most_files);
    c->argv[KEEPER_DIR] = arena_strdup(a, in->dir ? in->dir : "");
    c->argv[KEEPER_PROGRAM] = arena_strdup(a, file);
    c->env = copy_words(a, in->env, 0);
    buf_init(&c->unwritten, CHILD_UNREAD);
    pthread_mutex_init(&c->calling, NULL);
    return c;
}

void child_free(struct child *c)
{
    pthread_mutex_destroy(&c->calling);
    buf_finish(&c->unwritten);
    bough_arena_destroy(c->arena);
    mem_free(c);
}

void child_set_state(struct child *c, enum child_state state, int error)
{
    pthread_mutex_lock(&c->all->lock);
    c->state = state;
    c->error = error;
    pthread_cond_broadcast(&c->all->changed);
    pthread_mutex_unlock(&c->all->lock);
    uv_async_send(&c->all->wake);
}

/* Hand it to the loop and wait until it runs, or does not. Returns errno, -1: too many run. */
static int start_and_wait(struct children *all, struct child *c)
{
    int error = -1;

    pthread_mutex_lock(&all->lock);
    if (all->n < CHILDREN_MOST && !all->stop) {
        c->next = all->first;
        all->first = c;
        all->n++;
        uv_async_send(&all->wake);
        while (c->state == CHILD_WAITS || c->state == CHILD_STARTING)
            pthread_cond_wait(&all->changed, &all->lock);
        error = c->state == CHILD_FAILED ? c->error : 0;
    }
    pthread_mutex_unlock(&all->lock);
    return error;
}

static enum bough_rc not_started(const struct child_options *in, int error, struct bough_error *err)
{
    const char *why = strerrordesc_np(error);

    if (error == ENOENT || error == ENOTDIR)
        return bough_fail(err, BOUGH_NOT_FOUND, "%s or its working directory does not exist",
                          in->argv[0]);
    return bough_fail(err, BOUGH_IO, "%s cannot be started: %s", in->argv[0],
                      why ? why : "unknown error");
}

enum bough_rc child_start(struct children *all, const struct child_options *in, struct child **out,
                          struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    const char *file = child_lookup(a, in->argv[0], in->env);
    struct child *c;
    int error;

    if (!file && strchr(in->argv[0], '/'))
        file = in->argv[0]; /* relative to its folder, perhaps */
    c = file ? make(all, in, file) : NULL;
    bough_arena_destroy(a);
    if (!c)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no program %s in the PATH", in->argv[0]);
    error = start_and_wait(all, c);
    if (error == 0) {
        *out = c;
        return BOUGH_OK;
    }
    if (error > 0) {
        child_release(c);
        return not_started(in, error, err);
    }
    child_free(c);
    return bough_fail(err, BOUGH_OVERLOADED, "%d child processes run already", CHILDREN_MOST);
}

/* ---- using it ---- */

enum bough_rc child_write(struct child *c, struct bough_str bytes, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    pthread_mutex_lock(&c->all->lock);
    if (c->end || c->state != CHILD_RUNS)
        rc = bough_fail(err, BOUGH_IO, "the process has ended");
    else if (bytes.n > CHILD_UNREAD - c->in_flight ||
             c->unwritten.n > CHILD_UNREAD - c->in_flight - bytes.n)
        rc = bough_fail(err, BOUGH_OVERLOADED, "the process does not read its input");
    else
        buf_put_str(&c->unwritten, bytes);
    pthread_mutex_unlock(&c->all->lock);
    uv_async_send(&c->all->wake);
    return rc;
}

void child_pause(struct child *c, bool pause)
{
    pthread_mutex_lock(&c->all->lock);
    c->pause = pause;
    pthread_mutex_unlock(&c->all->lock);
    uv_async_send(&c->all->wake);
}

void child_end(struct child *c)
{
    pthread_mutex_lock(&c->all->lock);
    c->end = true;
    pthread_mutex_unlock(&c->all->lock);
    uv_async_send(&c->all->wake);
}

void child_release(struct child *c)
{
    struct children *all = c->all;

    pthread_mutex_lock(&c->calling);
    c->silent = true;
    pthread_mutex_unlock(&c->calling);
    pthread_mutex_lock(&all->lock);
    c->end = true;
    c->released = true; /* the loop may free it from now on */
    pthread_mutex_unlock(&all->lock);
    uv_async_send(&all->wake);
}
