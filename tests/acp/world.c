/* The scripted agent of tests/fakes, as a client of it sees it. */
#include "world.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "child/child.h"

struct acp_wait agent_patience(void)
{
    return (struct acp_wait){ .ms = 60000 };
}

void agent_start(struct test *t, struct acp_world *w, const char *const *variables)
{
    static const char *const path[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
    const char *env[32] = { path[0] }, *argv[] = { "node", "tests/fakes/acp-agent.mjs", NULL };
    const char *secrets[] = { "s3cret-value", NULL };
    struct acp_config config = { .argv = argv, .env = env, .secrets = secrets };
    size_t n = 1;

    *w = (struct acp_world){ .home = test_path(t, "agent") };
    if (!child_lookup(t->arena, "node", path))
        SKIP("Node is not installed");
    env[n++] = arena_printf(t->arena, "FAKE_HOME=%s", w->home);
    while (variables && *variables && n < 30)
        env[n++] = *variables++;
    env[n] = NULL;
    CHECK_OK(children_create(&w->children, &t->err));
    config.children = w->children;
    CHECK_OK(acp_open(&w->acp, &config, &t->err));
}

void agent_begin(struct test *t, struct acp_world *w, const char *const *variables)
{
    struct acp_wait wait = agent_patience();

    agent_start(t, w, variables);
    if (!acp_initialize(w->acp, t->arena, &wait, &w->failure) ||
        !acp_session(w->acp, t->arena, ACP_NEW, NULL, "/tmp", str_of("[]"), &wait, &w->failure))
        FAIL("%s", w->failure.message);
}

void agent_end(struct acp_world *w)
{
    acp_close(w->acp);
    children_destroy(w->children);
}

int64_t agent_prompt(struct test *t, struct acp_world *w, const char *scenario)
{
    const char *params = arena_printf(
        t->arena, "{\"sessionId\":\"%s\",\"prompt\":[{\"type\":\"text\",\"text\":\"[s:%s]\"}]}",
        acp_session_id(w->acp), scenario);

    return acp_request(w->acp, "session/prompt", str_of(params));
}

static void take(struct test *t, struct acp_world *w, const struct acp_event *e, const char *option,
                 struct buf *text)
{
    if (e->kind == ACP_UPDATED && e->update.kind == ACP_MESSAGE_CHUNK)
        buf_put_str(text, acp_block_text(t->arena, e->update.content));
    if (e->kind == ACP_ASKED)
        acp_select(w->acp, e->permission.id, option);
    if (e->kind == ACP_WITHDRAWN)
        acp_refuse(w->acp, e->id, ACP_CANCELLED, "withdrawn");
}

const char *agent_finish(struct test *t, struct acp_world *w, int64_t id, const char *option,
                         const char **text)
{
    struct acp_event e = { 0 };
    const char *stop;
    struct buf b;

    buf_init(&b, 64 << 20);
    for (struct wait wait = { 0 }; !(e.kind == ACP_ANSWERED && e.answers == id);) {
        acp_next(w->acp, t->arena, 20, &e);
        if (e.kind == ACP_ENDED)
            break;
        if (e.kind == ACP_NOTHING && !wait_more(&wait))
            FAIL("the agent did not answer");
        take(t, w, &e, option, &b);
    }
    if (text)
        *text = buf_give(&b, t->arena).p;
    else
        buf_finish(&b);
    w->failure = e.failure;
    stop = json_cstr(t->arena, e.result, "stopReason");
    return stop ? stop : e.failure.message;
}

const char *agent_turn(struct test *t, struct acp_world *w, const char *scenario,
                       const char *option, const char **text)
{
    return agent_finish(t, w, agent_prompt(t, w, scenario), option, text);
}
