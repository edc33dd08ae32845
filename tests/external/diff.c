/* What a run changed in its workspace, and taking it back. */
#include "run/external/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "world.h"

/* A repository with a.txt and gone.txt committed, other.txt changed by the user. */
static void open_repository(struct test *t, struct ext_world *w)
{
    ext_world_open(t, w, NULL);
    write_file(w, "a.txt", "one\n");
    write_file(w, "gone.txt", "going\n");
    write_file(w, "other.txt", "user\n");
    shell(w, "git init -q . && git add a.txt gone.txt other.txt && git -c user.name=t -c "
             "user.email=t@example.org commit -qm first");
    write_file(w, "other.txt", "user changed\n");
    write_file(w, "untracked.txt", "mine\n");
    shell(w, "git add other.txt");
}

static const char *list(struct test *t, const struct bough_run *run)
{
    struct diff_files files;
    const char *all = "";

    CHECK_OK(diff_list(t->arena, run, &files, &t->err));
    for (size_t i = 0; i < files.n; i++)
        all = arena_printf(t->arena, "%s%s %s +%d -%d;", all, files.at[i].path, files.at[i].status,
                           (int)files.at[i].additions, (int)files.at[i].deletions);
    return all;
}

static bool take(void *user, const void *p, size_t n)
{
    buf_put(user, p, n);
    return true;
}

STORE_TEST_SECONDS(only_the_changes_of_the_run_are_shown_and_the_index_is_untouched, 90)
{
    struct bough_run *run;
    struct bough_str text;
    struct ext_world w;

    open_repository(t, &w);
    shell(&w, "git status --porcelain > ../before && sha256sum .git/index > ../index");
    run = ext_world_turn(&w, "write");
    CHECK_STR("a.txt modified +1 -0;gone.txt deleted +0 -1;made.txt added +1 -0;", list(t, run));
    CHECK_STR("wrote|patch", ext_world_story(&w));
    shell(&w, "sha256sum -c ../index");
    CHECK_OK(diff_text(t->arena, run, "a.txt", &text, &t->err));
    CHECK(strstr(text.p, "+more") != NULL && strstr(text.p, "made") == NULL);
    CHECK_RC(BOUGH_NOT_FOUND, diff_text(t->arena, run, "other.txt", &text, &t->err));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(changes_are_taken_back_and_the_users_own_stay, 90)
{
    const char *const one[] = { "made.txt" }, *const foreign[] = { "other.txt" };
    struct bough_run *run;
    struct ext_world w;

    open_repository(t, &w);
    run = ext_world_turn(&w, "write");
    CHECK_RC(BOUGH_NOT_FOUND, diff_revert(t->arena, run, foreign, 1, &t->err));
    CHECK_OK(diff_revert(t->arena, run, one, 1, &t->err));
    CHECK(file_text(&w, "made.txt") == NULL);
    CHECK_STR("one\nmore\n", file_text(&w, "a.txt"));
    write_file(&w, "made.txt", "made\n");
    CHECK_OK(diff_revert(t->arena, run, NULL, 0, &t->err));
    CHECK_STR("one\n", file_text(&w, "a.txt"));
    CHECK_STR("going\n", file_text(&w, "gone.txt"));
    CHECK_STR("user changed\n", file_text(&w, "other.txt"));
    CHECK_STR("mine\n", file_text(&w, "untracked.txt"));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_file_that_moved_on_is_not_taken_back, 90)
{
    struct bough_run *run;
    struct ext_world w;

    open_repository(t, &w);
    run = ext_world_turn(&w, "write");
    write_file(&w, "a.txt", "something else\n");
    CHECK_RC(BOUGH_CONFLICT, diff_revert(t->arena, run, NULL, 0, &t->err));
    CHECK_STR("something else\n", file_text(&w, "a.txt"));
    CHECK_STR("made\n", file_text(&w, "made.txt")); /* all or nothing */
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_folder_without_a_repository_has_no_changes, 90)
{
    struct bough_run *run;
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    run = ext_world_turn(&w, "write");
    CHECK_STR("", list(t, run));
    CHECK_RC(BOUGH_NOT_FOUND, diff_revert(t->arena, run, NULL, 0, &t->err));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(the_diff_of_a_turn_is_kept_without_the_secrets_of_the_agent, 90)
{
    struct bough_attachment_read_options how = { .write = take };
    struct bough_attachments all;
    struct bough_entry *reply;
    struct ext_world w;
    struct buf b;

    setenv("EXT_DIFF_CANARY", "canary-0123456789", 1);
    ext_world_open(t, &w, (const char *const[]){ "set", "FAKE_KEY=$EXT_DIFF_CANARY", NULL });
    write_file(&w, "gone.txt", "key canary-0123456789 end\n");
    shell(&w, "git init -q . && git add .");
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "write")->status);
    reply = ext_world_reply(&w);
    CHECK_OK(bough_attachment_list(t->store, t->arena, w.session, reply->id, &all, &t->err));
    while (how.index < all.n && strcmp(all.at[how.index].name, "changes.diff") != 0)
        how.index++;
    CHECK(how.index < all.n);
    buf_init(&b, 1 << 20);
    how.user = &b;
    CHECK_OK(bough_attachment_read(t->store, w.session, reply->id, &how, &t->err));
    CHECK(strstr(b.p, "-key xxxxxxxxxxxxxxxxx end"));
    CHECK(!strstr(b.p, "canary"));
    buf_finish(&b);
    unsetenv("EXT_DIFF_CANARY");
    ext_world_close(&w);
}
