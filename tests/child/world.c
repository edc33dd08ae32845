/* A child of a test, and what it has said. */
#include "world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/str.h"

enum { KEPT = 1 << 20 };

static void on_out(void *user, struct bough_str bytes)
{
    struct watched *w = user;

    pthread_mutex_lock(&w->lock);
    buf_put_str(&w->out, bytes);
    w->events++;
    pthread_mutex_unlock(&w->lock);
}

static void on_err(void *user, struct bough_str bytes)
{
    struct watched *w = user;

    pthread_mutex_lock(&w->lock);
    buf_put_str(&w->err, bytes);
    pthread_mutex_unlock(&w->lock);
}

static void on_ended(void *user, int status, const char *why)
{
    struct watched *w = user;

    pthread_mutex_lock(&w->lock);
    w->ended = true;
    w->status = status;
    snprintf(w->why, sizeof w->why, "%s", why);
    pthread_mutex_unlock(&w->lock);
}

enum bough_rc watched_try(struct test *t, struct watched *w, struct child_options *in)
{
    *w = (struct watched){ 0 };
    pthread_mutex_init(&w->lock, NULL);
    buf_init(&w->out, KEPT);
    buf_init(&w->err, KEPT);
    CHECK_OK(children_create(&w->all, &t->err));
    in->on = (struct child_events){ on_out, in->on.err ? in->on.err : on_err, on_ended };
    in->user = w;
    return child_start(w->all, in, &w->c, &t->err);
}

void watched_start(struct test *t, struct watched *w, const char *script)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct child_options in = { .argv = argv, .env = env };

    CHECK_OK(watched_try(t, w, &in));
}

void watched_finish(struct watched *w)
{
    if (w->c)
        child_release(w->c);
    children_destroy(w->all);
    buf_finish(&w->out);
    buf_finish(&w->err);
    pthread_mutex_destroy(&w->lock);
}

bool watched_says(struct watched *w, const char *text)
{
    bool yes;

    pthread_mutex_lock(&w->lock);
    yes = strstr(w->out.p, text) != NULL;
    pthread_mutex_unlock(&w->lock);
    return yes;
}

void watched_wait(struct watched *w, const char *text)
{
    for (struct wait wait = { 0 }; !watched_says(w, text);)
        if (!wait_more(&wait))
            FAIL("the child did not say \"%s\" but \"%.200s\" and \"%.200s\"", text, w->out.p,
                 w->err.p);
}

static bool has_ended(struct watched *w)
{
    bool yes;

    pthread_mutex_lock(&w->lock);
    yes = w->ended;
    pthread_mutex_unlock(&w->lock);
    return yes;
}

void watched_wait_end(struct watched *w)
{
    for (struct wait wait = { 0 }; !has_ended(w);)
        if (!wait_more(&wait))
            FAIL("the child has not ended");
}

pid_t watched_pid(struct watched *w, const char *word)
{
    const char *at;
    pid_t pid;

    pthread_mutex_lock(&w->lock);
    at = strstr(w->out.p, word);
    pid = at ? (pid_t)strtol(at + strlen(word), NULL, 10) : 0;
    pthread_mutex_unlock(&w->lock);
    if (pid <= 0)
        FAIL("there is no number behind \"%s\"", word);
    return pid;
}

bool pid_lives(pid_t pid)
{
    char path[64], line[512] = "";
    const char *after;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (!f)
        return false;
    if (!fgets(line, sizeof line, f))
        *line = '\0';
    fclose(f);
    after = strrchr(line, ')');
    return after && strlen(after) > 2 && after[2] != 'Z';
}

void wait_pid_gone(pid_t pid)
{
    for (struct wait w = { 0 }; pid_lives(pid);)
        if (!wait_more(&w))
            FAIL("process %d is still there", (int)pid);
}
