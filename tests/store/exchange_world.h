/* Helpers for tests of exchanges: requests and replies written shortly (lib/talk.h), and what they
 * became. */
#ifndef EXCHANGE_WORLD_H
#define EXCHANGE_WORLD_H

#include <bough/exchange.h>

#include "lib/store_test.h"
#include "lib/talk.h"

/* One exchange. Only `sent` is needed. */
struct ask {
    const char *sent, *reply; /* talks; the reply is the parts of one message. NULL: none came */
    const char *key, *parent, *purpose, *session, *previous, *response, *project, *system,
        *parameters;
    bool cut;                  /* the reply is cut */
    const char *status;        /* of the call; NULL: "ok", or "error" without a reply */
    struct bough_store *store; /* NULL: that of the test */
};

/* What became of it: the results of begin and finish. */
struct told {
    struct bough_exchange_begin_result begin;
    struct bough_exchange_finish_result finish;
    const char *session;
};

struct bough_exchange *begin_ask(struct test *t, const struct ask *ask, struct told *out);
void finish_ask(struct test *t, struct bough_exchange *x, const struct ask *ask, struct told *out);
struct told ask_told(struct test *t, const struct ask *ask);
#define ASK(...) ask_told(t, &(struct ask){ __VA_ARGS__ })

/* The word of an outcome: "new", "append", ... */
const char *how_word(const struct told *x);

/* The messages of the path to the head: "u:q1 a:r1 ...". */
const char *path_of(struct test *t, const char *session);
/* All branches: "#1 u:q1 a:r1; #2@1.1 a:r1-again". Notes are left out. */
const char *tree_of(struct test *t, const char *session);
/* How many custom entries of this type, and compactions ("compaction"), the session wrote. */
size_t notes_in(struct test *t, const char *session, const char *type);
size_t calls_of(struct test *t, const char *session);
size_t count_sessions(struct test *t);
struct bough_session *session_of(struct test *t, const char *session);

/* Sessions with everything that exchanges leave: keys, ids, variants, a fork, a side session, a
 * compaction, choices, a failed first request. Gives the id of the session with the key "w1". */
const char *build_exchanges(struct test *t);

#endif
