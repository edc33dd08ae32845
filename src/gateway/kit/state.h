/* The gateway's state, for its own files: what gateway_create() made, and how requests find it. */
#ifndef GATEWAY_KIT_STATE_H
#define GATEWAY_KIT_STATE_H

#include <bough/store.h>

#include "core/price/price.h"
#include "gateway/providers.h"
#include "http/http.h"

struct multi;
struct uv_loop_s;

/* What happens when a reply cannot be stored. */
enum gateway_record {
    GATEWAY_REQUIRED,    /* its last bytes wait until it is stored; else the client gets an error */
    GATEWAY_BEST_EFFORT, /* nothing waits; losses are counted */
    GATEWAY_OFF,
};

enum gateway_count { GATEWAY_RELAYED, GATEWAY_LOST, GATEWAY_COUNTS };

struct gateway {
    struct bough_store *store;
    struct providers *providers;
    struct bough_arena *arena;        /* of the prices */
    const struct price_table *prices; /* this and the next two: atomic */
    int record, leave;
    const char *title_model; /* atomic; "": none */
    bool troubled;           /* atomic */
    struct multi *multi;     /* loop thread only */
    int64_t counts[GATEWAY_COUNTS];
};

struct gateway *gateway_of(const struct http_req *req);
struct bough_store *gateway_store(struct gateway *g);
struct providers *gateway_providers(struct gateway *g);
enum gateway_record gateway_records(const struct gateway *g);
/* Did the store fail a moment ago? */
bool gateway_troubled(const struct gateway *g);
/* Note whether a request could be recorded. */
void gateway_note_store(struct gateway *g, bool works);
/* The prices, with those of the configuration. They live as long as the gateway. */
struct price_table gateway_prices(const struct gateway *g);
/* The model that names sessions; "": none. */
const char *gateway_title_model(const struct gateway *g);
bool gateway_finishes(const struct gateway *g); /* on_leave = finish */

/* The transfers of the loop; made when it is first needed. Loop thread only. */
struct multi *gateway_multi(struct gateway *g, struct uv_loop_s *loop);

void gateway_count(struct gateway *g, enum gateway_count what);
int64_t gateway_counted(const struct gateway *g, enum gateway_count what);

#endif
