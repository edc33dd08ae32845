/* A request to the server that is running, over its Unix socket. */
#ifndef CLI_SERVER_SERVER_POST_H
#define CLI_SERVER_SERVER_POST_H

#include <bough/arena.h>
#include <bough/error.h>
#include <bough/model.h>

/* POST without a body. The answer's body is in `a`. BOUGH_NOT_FOUND: no server listens there. An
 * answer that is not a success fails with the server's message. Waits 10 s at most. */
BOUGH_MUST_CHECK enum bough_rc server_post(struct bough_arena *a, const char *socket,
                                           const char *target, struct bough_str *answer,
                                           struct bough_error *err);

#endif
