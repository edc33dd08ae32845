/* Writer threads that record the result of each append, to be compared with the store. */
#include "ledger.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/arena.h"

static int64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static const char *text_no(struct bough_arena *a, const struct ledger *l, int append, size_t entry)
{
    return arena_printf(a, "%d.%d.%zu", l->number, append, entry);
}

static enum bough_rc call(struct ledger *l, struct bough_arena *a,
                          const struct bough_append_options *in)
{
    struct bough_append_result out;
    int64_t began = now_us(), took;
    enum bough_rc rc;

    l->err = (struct bough_error){ 0 };
    rc = bough_append(l->s, a, l->session, in, &out, &l->err);
    took = now_us() - began;
    l->slowest_us = took > l->slowest_us ? took : l->slowest_us;
    l->unknown += rc == BOUGH_UNKNOWN;
    l->refused += rc && rc != BOUGH_UNKNOWN;
    if (rc && rc != BOUGH_UNKNOWN)
        l->refused_as = rc;
    return rc;
}

enum bough_rc ledger_append(struct ledger *l)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new *e = arena_array(a, l->size, sizeof *e);
    struct bough_append_options in = { .entries = e, .n = l->size };
    bool doubtful = false;
    enum bough_rc rc;

    memset(e, 0, l->size * sizeof *e);
    for (size_t i = 0; i < l->size; i++) {
        e[i].role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER;
        e[i].text = text_no(a, l, l->n, i);
    }
    in.key = l->keyed ? e[0].text : NULL;
    while ((rc = call(l, a, &in)) != BOUGH_OK) {
        doubtful = doubtful || rc == BOUGH_UNKNOWN;
        if (!l->keyed || *l->stop)
            break;
        usleep(2000);
    }
    l->told[l->n++] = !rc ? TOLD_DONE : doubtful ? TOLD_UNKNOWN : TOLD_REFUSED;
    bough_arena_destroy(a);
    return rc;
}

static void *run(void *arg)
{
    struct ledger *l = arg;

    while ((!*l->stop || l->n < l->least) && l->n < LEDGER_MOST)
        usleep(ledger_append(l) != BOUGH_OK ? 2000 : l->size > 100 ? 40000 : 0); /* limit volume */
    return NULL;
}

void ledger_start(struct ledger *l)
{
    if (pthread_create(&l->thread, NULL, run, l) != 0)
        FAIL("no thread");
}

void ledger_join(struct ledger *l)
{
    pthread_join(l->thread, NULL);
}

/* ---- comparing with the store ---- */

static bool is_there(struct test *t, const struct ledger *l,
                     const struct bough_entries_read_result *path, size_t at, int append,
                     size_t entry)
{
    return at < path->entries.n &&
           strcmp(text_of(t, &path->entries.at[at]), text_no(t->arena, l, append, entry)) == 0;
}

void ledger_check(struct test *t, const struct ledger *l)
{
    struct bough_entries_read_result path;
    size_t at = 0;

    CHECK_OK(bough_entries_read(t->store, t->arena, l->session, NULL, &path, &t->err));
    for (int i = 0; i < l->n; i++) {
        bool there = is_there(t, l, &path, at, i, 0);

        if (l->told[i] == TOLD_DONE && !there)
            FAIL("append %d of writer %d was acknowledged and is not there", i, l->number);
        if (l->told[i] == TOLD_REFUSED && there)
            FAIL("append %d of writer %d was refused and is there", i, l->number);
        for (size_t k = 1; there && k < l->size; k++)
            if (!is_there(t, l, &path, at + k, i, k))
                FAIL("append %d of writer %d is there without its entry %zu", i, l->number, k);
        at += there ? l->size : 0;
    }
    if (at != path.entries.n)
        FAIL("%zu entries too many in the session of writer %d: %s", path.entries.n - at, l->number,
             text_of(t, &path.entries.at[at]));
}
