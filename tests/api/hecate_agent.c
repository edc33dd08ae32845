/* Hecate's agent routes: every answer fits its schema. What they do is tested in tests/run. */
#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

#define CHATS "/hecate/v1/agent-chat/sessions/agent_chat_"
#define TASKS "/hecate/v1/tasks/task_"

/* A run of the loop that called a tool, left an artifact and asked for approval. */
struct ran {
    const char *session, *run, *task, *approval, *artifact;
};

static const char *file_part(struct test *t)
{
    struct bough_attachment_writer *writer;
    struct bough_attachment file;

    CHECK_OK(bough_attachment_begin(t->store, &writer, &t->err));
    CHECK_OK(bough_attachment_write(writer, "all of it", 9, &t->err));
    CHECK_OK(bough_attachment_finish(&writer, &file, &t->err));
    return arena_printf(t->arena,
                        "{\"type\":\"file\",\"mime\":\"text/plain\",\"filename\":\"stdout.txt\","
                        "\"url\":\"%s\",\"data\":{\"artifact\":\"stdout\",\"size\":9,"
                        "\"preview\":\"all\"}}",
                        file.url);
}

static void append(struct test *t, const struct bough_run *run, enum bough_role role,
                   const char *const *parts, size_t n, struct bough_append_result *out)
{
    struct bough_str raw[4];
    struct bough_entry_new e = { .role = role, .parts = raw, .nparts = n };
    struct bough_append_options in = {
        .entries = &e, .n = 1, .owner = run->lease->owner, .epoch = run->lease->epoch
    };

    for (size_t i = 0; i < n; i++)
        raw[i] = str_of(parts[i]);
    CHECK_OK(bough_append(t->store, t->arena, run->session, &in, out, &t->err));
}

static struct ran run_once(struct test *t, bool ended)
{
    struct bough_session_create_options made = { .title = "A chat", .project = "p" };
    struct bough_run_start_options how = { .text = "Do it.",
                                           .runtime = BOUGH_RUNTIME_AGENT,
                                           .provider = "up",
                                           .model = "m",
                                           .host = "h",
                                           .claim = true };
    struct bough_run_end_options end = { .status = BOUGH_RUN_COMPLETED };
    struct bough_approval_add_options ask = { .tool = "files/write", .title = "Write a.txt" };
    struct bough_run_start_result got;
    struct bough_run_end_result done;
    struct bough_append_result reply, result;
    struct bough_approval *approval;
    struct bough_session *s;
    struct ran r = { 0 };

    CHECK_OK(bough_session_create(t->store, t->arena, &made, &s, &t->err));
    CHECK_OK(bough_run_start(t->store, t->arena, s->id, &how, &got, &t->err));
    append(t, got.run, BOUGH_ROLE_ASSISTANT,
           (const char *const[]){ "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"files_write\","
                                  "\"input\":{\"path\":\"a.txt\"}}" },
           1, &reply);
    ask.entry = reply.ids[0];
    CHECK_OK(
        bough_approval_add(t->store, t->arena, got.run->id, got.epoch, &ask, &approval, &t->err));
    append(
        t, got.run, BOUGH_ROLE_TOOL,
        (const char *const[]){
            "{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"ok\"}", file_part(t) },
        2, &result);
    if (ended)
        CHECK_OK(bough_run_end(t->store, t->arena, got.run->id, got.epoch, &end, &done, &t->err));
    r.session = s->id;
    r.run = got.run->id;
    r.task = got.run->task;
    r.approval = approval->id;
    r.artifact = arena_printf(t->arena, "%s.0001", result.ids[0]);
    return r;
}

static struct json gives(struct test *t, struct world *w, const char *base, const char *id,
                         const char *rest)
{
    return world_gives(t, w, "GET", arena_printf(t->arena, "%s%s%s", base, id, rest), "", 200);
}

STORE_TEST(answers_of_hecates_agent_routes_fit_their_schemas)
{
    struct ran r;
    const char *run;
    struct json j;
    struct world w;

    world_open(t, &w);
    r = run_once(t, true);
    run = arena_printf(t->arena, "/runs/run_%s", r.run);
    j = world_gives(t, &w, "GET", "/hecate/v1/agent-chat/sessions", "", 200);
    CHECK_STR("A chat", text_at(t, j, "data.0.title"));
    j = gives(t, &w, CHATS, r.session, "");
    CHECK_STR("Do it.", text_at(t, j, "data.messages.0.content"));
    CHECK_STR("(agent completed without output)", text_at(t, j, "data.messages.1.content"));
    j = gives(t, &w, CHATS, r.session, "/approvals");
    CHECK_STR("Write a.txt", text_at(t, j, "data.0.tool_name"));
    CHECK_STR("cancelled", text_at(t, j, "data.0.status"));
    CHECK_STR("request_cancelled", text_at(t, j, "data.0.path"));
    gives(t, &w, CHATS, r.session, arena_printf(t->arena, "/approvals/appr_%s", r.approval));
    world_gives(t, &w, "GET", "/hecate/v1/agent-chat/grants", "", 200);
    world_gives(t, &w, "GET", "/hecate/v1/tasks", "", 200);
    j = gives(t, &w, TASKS, r.task, "");
    CHECK_STR("agent_chat", text_at(t, j, "data.origin_kind"));
    gives(t, &w, TASKS, r.task, "/approvals");
    gives(t, &w, TASKS, r.task, arena_printf(t->arena, "/approvals/%s", r.approval));
    j = gives(t, &w, TASKS, r.task, "/artifacts");
    CHECK_STR(r.artifact, text_at(t, j, "data.0.id"));
    CHECK_STR("stdout", text_at(t, j, "data.0.kind"));
    gives(t, &w, TASKS, r.task, "/runs");
    gives(t, &w, TASKS, r.task, run);
    j = gives(t, &w, TASKS, r.task, arena_printf(t->arena, "%s/steps", run));
    CHECK_STR("files_write", text_at(t, j, "data.1.tool_name"));
    gives(t, &w, TASKS, r.task,
          arena_printf(t->arena, "%s/steps/%s", run, text_at(t, j, "data.1.id")));
    gives(t, &w, TASKS, r.task, arena_printf(t->arena, "%s/artifacts", run));
    j = gives(t, &w, TASKS, r.task, arena_printf(t->arena, "%s/artifacts/%s", run, r.artifact));
    CHECK_STR("all of it", text_at(t, j, "data.content_text"));
    CHECK_STR("text/plain", text_at(t, j, "data.mime_type"));
    j = gives(t, &w, TASKS, r.task, arena_printf(t->arena, "%s/events", run));
    CHECK_STR("run.created", text_at(t, j, "data.0.type"));
    world_close(&w);
}

STORE_TEST(errors_of_hecates_agent_routes_have_their_own_form)
{
    struct ran r;
    struct json j;
    struct world w;

    world_open(t, &w);
    r = run_once(t, false);
    j = world_gives(t, &w, "POST", arena_printf(t->arena, CHATS "%s/messages", r.session),
                    "{\"content\":\"x\"}", 409);
    CHECK_STR("agent_chat.agent_session_busy", text_at(t, j, "error.type"));
    CHECK_STR(arena_printf(t->arena, "task_%s", r.task), text_at(t, j, "error.task_id"));
    CHECK_STR("running", text_at(t, j, "error.run_status"));
    world_gives(t, &w, "POST", "/hecate/v1/agent-chat/sessions", "{\"model\":\"m\"}", 422);
    world_gives(t, &w, "GET", "/hecate/v1/agent-chat/sessions/nobody", "", 404);
    world_gives(t, &w, "GET", "/hecate/v1/agent-chat/sessions?limit=0", "", 400);
    world_gives(t, &w, "GET", "/hecate/v1/tasks/nobody", "", 404);
    world_gives(t, &w, "GET", "/hecate/v1/agent-adapters", "", 422);
    j = world_gives(t, &w, "DELETE", arena_printf(t->arena, CHATS "%s", r.session), "", 409);
    CHECK_STR("agent_chat.session_stopping", text_at(t, j, "error.type"));
    world_close(&w);
}
