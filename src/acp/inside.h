/* What the files of this folder share. */
#ifndef ACP_INSIDE_H
#define ACP_INSIDE_H

#include <pthread.h>

#include "acp/acp.h"
#include "child/child.h"
#include "rpc/lines.h"
#include "rpc/message.h"

struct acp_line {
    struct acp_line *next;
    struct bough_str text;
};

/* Lines that came together, in an arena of their own. */
struct acp_batch {
    struct acp_batch *next;
    struct bough_arena *a;
    struct acp_line *first, **last;
    size_t bytes;
};

/* Options of the session; each is raw JSON on the heap, or NULL. */
struct acp_has {
    char *config, *modes, *models, *commands, *mode;
};

struct acp {
    struct child *child;
    struct bough_arena *arena; /* of `agent`, `secrets` and `session` */
    const char **secrets;
    struct acp_agent agent;
    const char *session;
    int64_t requests; /* that were sent */
    struct acp_has has;

    struct rpc_lines lines;  /* of the loop thread */
    struct acp_batch *come;  /* the same: lines of the bytes that are being read, or NULL */
    struct acp_batch *taken; /* of the thread that takes lines: in its hands already */

    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct acp_batch *first, **last; /* lines that were not taken */
    size_t waiting;                  /* bytes of them */
    bool paused, rests, gone, too_long;
    char why[96]; /* it is gone */
    struct buf raw, err;
};

/* ---- connection.c ---- */

/* Take a line, waiting at most `ms`. NULL: none came. It stays until the next call. */
const struct acp_line *acp_take(struct acp *p, int64_t ms);
void acp_send(struct acp *p, struct buf *line);

/* ---- options.c ---- */

/* Remember what an answer or an update says about options. */
void acp_learn_result(struct acp *p, struct json result);
void acp_learn_update(struct acp *p, const struct acp_update *u);
void acp_forget_options(struct acp *p);

#endif
