/* Captures: what clients sent to a gateway and what came back, one JSON line an exchange. Those in
 * tests/data/gateway are of our own making; those of real clients are in $BOUGH_CORPORA/gateway. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "base/json/json.h"
#include "core/wire/client.h"
#include "lib/test.h"

struct capture {
    int64_t n;          /* its number in the scenario */
    const char *method; /* "POST" */
    struct bough_str path;
    struct client_header *headers;
    size_t nheaders;
    struct bough_str body; /* as JSON text; empty: none */
    int64_t status;
    const char *type; /* of the response */
    struct bough_str response;
    bool left; /* the client hung up first */
};

struct captures {
    struct capture *at;
    size_t n;
};

/* The folder with captures: $BOUGH_CORPORA/gateway, NULL when it is not there. */
const char *capture_corpora(struct test *t);
/* tests/data/gateway. */
const char *capture_own(struct test *t);

/* All exchanges of FOLDER/NAME.jsonl. */
struct captures capture_read(struct test *t, const char *folder, const char *name);

/* Call `fn` for each capture that posts to a wire: of our own, and of the real clients if they are
 * there. */
void capture_each(struct test *t,
                  void (*fn)(struct test *t, const struct capture *c, enum wire wire));

/* Is the response a stream of events? */
bool capture_streams(const struct capture *c);

#endif
