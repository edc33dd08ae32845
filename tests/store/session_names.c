/* Two writers that take the same name at the same moment: one as a slug, one as an id. */
#include <pthread.h>
#include <stdio.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

enum { NAMES = 60 };

struct taker {
    struct bough_store *store;
    bool as_id;
    pthread_barrier_t *start;
    enum bough_rc rc[NAMES];
};

static void *take_names(void *arg)
{
    struct taker *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; i < NAMES; i++) {
        struct bough_session_create_options in = { 0 };
        struct bough_session *s;
        char name[32];

        snprintf(name, sizeof name, "name-of-%d", i);
        in.id = w->as_id ? name : NULL;
        in.slug = w->as_id ? NULL : name;
        pthread_barrier_wait(w->start);
        w->rc[i] = bough_session_create(w->store, a, &in, &s, NULL);
    }
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST_SECONDS(a_slug_and_a_given_id_are_never_the_same_name_of_two_sessions, 60)
{
    struct bough_store *other = NULL;
    struct taker takers[2];
    pthread_barrier_t start;
    pthread_t threads[2];

    bough_store_close(&t->store); /* the test clock is not thread-safe */
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    if (strcmp(t->url, "memory:") != 0)
        CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    CHECK(pthread_barrier_init(&start, NULL, 2) == 0);
    for (int i = 0; i < 2; i++) {
        takers[i] =
            (struct taker){ .store = i && other ? other : t->store, .as_id = i, .start = &start };
        CHECK(pthread_create(&threads[i], NULL, take_names, &takers[i]) == 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < NAMES; i++) {
        CHECK_INT(1, (takers[0].rc[i] == BOUGH_OK) + (takers[1].rc[i] == BOUGH_OK));
        CHECK_INT(1, (takers[0].rc[i] == BOUGH_EXISTS) + (takers[1].rc[i] == BOUGH_EXISTS));
    }
    bough_store_close(&other);
}
