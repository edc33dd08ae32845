/* Tokens that are bound to a project: its folders, its sessions and its grants are all they use. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "run/hecate_world.h"

#define SCOPES "read append gateway run approve"

/* A root with two projects; `linked` in ours leads to theirs. */
struct folders {
    const char *root, *ours, *below, *theirs, *beside, *linked;
};

static void make_folders(struct test *t, const char *root, struct folders *out)
{
    *out = (struct folders){ root,
                             arena_printf(t->arena, "%s/ours", root),
                             arena_printf(t->arena, "%s/ours/below", root),
                             arena_printf(t->arena, "%s/theirs", root),
                             arena_printf(t->arena, "%s/ours-too", root),
                             arena_printf(t->arena, "%s/ours/linked", root) };
    CHECK_INT(0, mkdir(out->ours, 0700));
    CHECK_INT(0, mkdir(out->below, 0700));
    CHECK_INT(0, mkdir(out->theirs, 0700));
    CHECK_INT(0, mkdir(out->beside, 0700));
    CHECK_INT(0, symlink(out->theirs, out->linked));
}

static const char *session_in(struct test *t, const char *project)
{
    struct bough_session_create_options in = { .project = project };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return arena_strdup(t->arena, s->id);
}

static struct got turn_as(struct world *w, const char *project, const char *session,
                          const char *workspace)
{
    return ask_as(w, "POST", arena_printf(w->t->arena, "/api/v1/sessions/%s/turns", session),
                  SCOPES, project,
                  arena_printf(w->t->arena,
                               "{\"content\":\"go\",\"model\":\"gpt-5.5\",\"runtime\":\"agent\","
                               "\"servers\":[\"files\"],\"workspace\":\"%s\"}",
                               workspace));
}

STORE_TEST(a_token_of_a_project_starts_runs_in_the_folders_of_its_project_only)
{
    struct folders f;
    struct world w;
    const char *dir, *s, *odd;
    struct got g;

    script_open(t, &w, &dir);
    make_folders(t, dir, &f);
    s = session_in(t, f.ours);
    for (size_t i = 0; i < 4; i++) {
        g = turn_as(&w, f.ours, s, (const char *[]){ f.root, f.theirs, f.beside, f.linked }[i]);
        CHECK_INT(403, g.status);
        CHECK_STR("denied", at(t, g, "error.code"));
    }
    CHECK_INT(0, fake_count(w.up));
    for (size_t i = 0; i < 2; i++) {
        say_text(&w, "done");
        g = turn_as(&w, f.ours, s, i ? f.below : f.ours);
        CHECK_INT(202, g.status);
        wait_run(&w, at(t, g, "run.id"), BOUGH_RUN_COMPLETED);
    }
    /* A project that is only a name has no folder of its own. */
    odd = session_in(t, "name");
    say_text(&w, "done");
    g = turn_as(&w, "name", odd, f.theirs);
    CHECK_INT(202, g.status);
    wait_run(&w, at(t, g, "run.id"), BOUGH_RUN_COMPLETED);
    /* One whose folder is gone holds nothing. */
    CHECK_INT(0, rmdir(f.below));
    CHECK_INT(403, turn_as(&w, f.below, session_in(t, f.below), f.ours).status);
    world_close(&w);
}

STORE_TEST(a_run_of_the_owner_is_not_gone_on_with_from_outside_the_project)
{
    struct folders f;
    struct world w;
    const char *dir, *s, *run, *path;
    struct got g;

    script_open(t, &w, &dir);
    make_folders(t, dir, &f);
    s = session_in(t, f.ours);
    say_text(&w, "done");
    run = start_run(&w, s, "go",
                    arena_printf(t->arena, "\"servers\":[\"files\"],\"workspace\":\"%s\"", f.root));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    path = arena_printf(t->arena, "/api/v1/runs/%s/retry", run);
    CHECK_INT(403, ask_as(&w, "POST", path, SCOPES, f.ours, "{}").status);
    say_text(&w, "again");
    g = ask_as(&w, "POST", path, SCOPES, "", "{}");
    CHECK_INT(202, g.status);
    wait_run(&w, at(t, g, "run.id"), BOUGH_RUN_COMPLETED);
    world_close(&w);
}

STORE_TEST(hecates_chats_and_tasks_keep_to_the_folders_of_a_tokens_project)
{
    static const char chat[] = "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5.5\","
                               "\"workspace\":\"%s\"}";
    static const char task[] = "{\"prompt\":\"go\",\"execution_kind\":\"agent_loop\","
                               "\"requested_model\":\"gpt-5.5\",\"working_directory\":\"%s\"}";
    static const char send[] = "{\"content\":\"go\",\"workspace\":\"%s\"}";
    struct folders f;
    struct world w;
    const char *dir, *id;
    struct got g;

    script_open(t, &w, &dir);
    make_folders(t, dir, &f);
    g = ask_as(&w, "POST", CHATS, SCOPES, f.ours, arena_printf(t->arena, chat, f.theirs));
    CHECK_STR("forbidden", error_type(t, g, 403));
    g = ask_as(&w, "POST", TASKS, SCOPES, f.ours, arena_printf(t->arena, task, f.linked));
    CHECK_STR("forbidden", error_type(t, g, 403));
    g = ask_as(&w, "POST", CHATS, SCOPES, f.ours, arena_printf(t->arena, chat, f.ours));
    CHECK_INT(200, g.status);
    id = at(t, g, "data.id");
    g = ask_as(&w, "POST", in_chat(&w, id, "/messages"), SCOPES, f.ours,
               arena_printf(t->arena, send, f.theirs));
    CHECK_STR("forbidden", error_type(t, g, 403));
    CHECK_INT(0, fake_count(w.up));
    say_text(&w, "done");
    g = ask_as(&w, "POST", in_chat(&w, id, "/messages"), SCOPES, f.ours,
               arena_printf(t->arena, send, f.below));
    CHECK_INT(200, g.status);
    CHECK_STR("completed", at(t, g, "data.status"));
    world_close(&w);
}

STORE_TEST(D13_a_token_of_a_project_takes_back_the_grants_of_its_own_sessions)
{
    static const char *const paths[] = { "/api/v1/grants/", "/hecate/v1/agent-chat/grants/grant_" };
    struct bough_grant_add_options in = { .scope = BOUGH_SCOPE_SESSION, .tool = "files/write" };
    struct bough_grant_add_options wide = { .scope = BOUGH_SCOPE_ALWAYS, .tool = "files/write" };
    struct bough_grant *own, *all, *got;
    struct world w;

    script_open(t, &w, NULL);
    in.session = session_in(t, "/ours");
    CHECK_OK(bough_grant_add(t->store, t->arena, &wide, &all, &t->err));
    for (size_t i = 0; i < 2; i++) {
        const char *path;

        CHECK_OK(bough_grant_add(t->store, t->arena, &in, &own, &t->err));
        path = arena_printf(t->arena, "%s%s", paths[i], own->id);
        CHECK_INT(404, ask_as(&w, "DELETE", path, SCOPES, "/theirs", "").status);
        CHECK_INT(403, ask_as(&w, "DELETE", path, "read run", "/ours", "").status);
        CHECK_OK(bough_grant_get(t->store, t->arena, own->id, &got, &t->err));
        CHECK_STR(in.session, got->session);
        CHECK_INT(204, ask_as(&w, "DELETE", path, SCOPES, "/ours", "").status);
        CHECK_INT(404, ask_as(&w, "DELETE", path, SCOPES, "/ours", "").status);
        CHECK_RC(BOUGH_NOT_FOUND, bough_grant_get(t->store, t->arena, own->id, &got, &t->err));
        path = arena_printf(t->arena, "%s%s", paths[i], all->id);
        CHECK_INT(404, ask_as(&w, "DELETE", path, SCOPES, "/ours", "").status);
    }
    CHECK_OK(bough_grant_get(t->store, t->arena, all->id, &got, &t->err));
    CHECK_STR("", got->session);
    CHECK_INT(
        204, ask_as(&w, "DELETE", arena_printf(t->arena, "%s%s", paths[0], all->id), SCOPES, "", "")
                 .status);
    world_close(&w);
}
