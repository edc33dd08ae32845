/* The scripted agent of tests/fakes, as a client of it sees it. */
#ifndef ACP_WORLD_H
#define ACP_WORLD_H

#include "acp/acp.h"
#include "lib/test.h"

struct acp_world {
    struct children *children;
    struct acp *acp;
    const char *home; /* where the agent keeps its sessions */
    struct acp_failure failure;
};

/* Start it with these variables, "A=b" ended by NULL; nothing else is sent. Skips without Node. */
void agent_start(struct test *t, struct acp_world *w, const char *const *variables);
/* The same, then initialize and session/new. */
void agent_begin(struct test *t, struct acp_world *w, const char *const *variables);
void agent_end(struct acp_world *w);
struct acp_wait agent_patience(void); /* long */

/* Send a prompt and return the number of the request. */
int64_t agent_prompt(struct test *t, struct acp_world *w, const char *scenario);
/* Take events until the answer comes or the process ends: its stop reason, or the failure's
 * message. Permissions are answered with `option` (NULL: cancelled). All text is in *text. */
const char *agent_finish(struct test *t, struct acp_world *w, int64_t id, const char *option,
                         const char **text);
const char *agent_turn(struct test *t, struct acp_world *w, const char *scenario,
                       const char *option, const char **text);

#endif
