/* Invalid input: refused with the right code and a message that names the value; nothing changes,
 * and the next call works. Files that are no stores are in bad_files.c. */
#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

/* The number of the last change; a refusal must not move it. */
static int64_t last_no(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.last_no;
}

#define REFUSED(want, word, call)                                                                  \
    do {                                                                                           \
        int64_t no_ = last_no(t);                                                                  \
        const char *word_ = (word);                                                                \
        memset(&t->err, 0, sizeof t->err);                                                         \
        CHECK_RC(want, call);                                                                      \
        CHECK_INT(want, t->err.rc);                                                                \
        if (!*t->err.msg || (word_ && !strstr(t->err.msg, word_)))                                 \
            FAIL("\"%s\" does not name %s", t->err.msg, word_ ? word_ : "anything");               \
        CHECK_INT(no_, last_no(t));                                                                \
    } while (0)

static enum bough_rc put(struct test *t, const char *session, struct bough_entry_new e)
{
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    return bough_append(t->store, t->arena, session, &in, &out, &t->err);
}

static struct bough_entry_new message(const char *text)
{
    return (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = text };
}

/* --- ids --- */

STORE_TEST(unknown_ids_are_not_found_everywhere)
{
    static const char *const ids[] = { "nobody", "#77", "01HHHHHHHHHHHHHHHHHHHHHHHH", "#x", "#" };
    const char *s = new_session(t, ""), *a = user(t, s, "a");
    struct bough_session *session;
    struct bough_entry *e;
    struct bough_entries_read_result path;
    struct bough_call *call;

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const char *id = ids[i];

        REFUSED(BOUGH_NOT_FOUND, id, bough_session_get(t->store, t->arena, id, &session, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, put(t, id, message("x")));
        REFUSED(BOUGH_NOT_FOUND, id, bough_session_rename(t->store, id, "x", &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_session_delete(t->store, id, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_session_purge(t->store, t->arena, id, NULL, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id,
                bough_session_fork(t->store, t->arena, id, NULL, &session, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id,
                bough_entries_read(t->store, t->arena, id, NULL, &path, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_entry_get(t->store, t->arena, s, id, &e, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_entry_get(t->store, t->arena, NULL, id, &e, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_head_move(t->store, s, id, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_entry_delete(t->store, s, id, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_label_set(t->store, s, id, "x", &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_call_get(t->store, t->arena, id, &call, &t->err));
        REFUSED(BOUGH_NOT_FOUND, id, bough_call_delete(t->store, id, &t->err));
    }
    REFUSED(BOUGH_NOT_FOUND, "#1.99", bough_head_move(t->store, s, "#1.99", &t->err));
    REFUSED(BOUGH_NOT_FOUND, "#1.0", bough_head_move(t->store, s, "#1.0", &t->err));
    REFUSED(BOUGH_NOT_FOUND, NULL,
            bough_head_move(t->store, s, "#99999999999999999999.1", &t->err));
    CHECK_OK(bough_head_move(t->store, s, a, &t->err));
}

#define NOBODY(call) REFUSED(BOUGH_NOT_FOUND, id, call)

STORE_TEST(writing_to_a_missing_session_is_not_found)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *id = "nobody";
    const struct bough_branch_with_summary_options summary = { .target = a, .summary = "s" };
    struct bough_record_result recorded;
    struct bough_entry_new m = message("x");
    char root[BOUGH_ID_LEN + 1];

    NOBODY(bough_entry_delete(t->store, id, a, &t->err));
    NOBODY(bough_entry_restore(t->store, id, a, &t->err));
    NOBODY(bough_head_move(t->store, id, a, &t->err));
    NOBODY(bough_head_reset(t->store, id, &t->err));
    NOBODY(bough_branch_with_summary(t->store, id, &summary, root, &t->err));
    NOBODY(bough_session_clear(t->store, id, &t->err));
    NOBODY(bough_session_restore(t->store, id, &t->err));
    NOBODY(bough_session_archive(t->store, id, &t->err));
    NOBODY(bough_session_unarchive(t->store, id, &t->err));
    NOBODY(bough_session_update(t->store, id,
                                &(struct bough_session_update_options){ .title = "x" }, &t->err));
    NOBODY(bough_session_status(t->store, id, BOUGH_STATUS_BUSY, "w", 9, NULL, &t->err));
    NOBODY(bough_label_set(t->store, id, a, "l", &t->err));
    NOBODY(bough_todo_replace(t->store, t->arena, id, NULL, 0, NULL, &t->err));
    NOBODY(bough_queue_promote(t->store, id, a, &t->err));
    NOBODY(bough_record(t->store, t->arena, id,
                        &(struct bough_record_options){ .history = &m, .nhistory = 1 }, &recorded,
                        &t->err));
}

STORE_TEST(reading_a_missing_session_is_not_found)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *id = "nobody", *text;
    struct bough_todos todos;
    struct bough_labels labels;
    struct bough_entries entries;
    struct bough_branches branches;
    struct bough_head head;
    struct bough_prompts prompts;
    struct bough_calls calls;
    struct bough_entry *e;
    struct bough_open_messages open;
    struct bough_sessions line;
    struct bough_attachments files;
    char hash[65], root[BOUGH_ID_LEN + 1];

    NOBODY(bough_head_get(t->store, t->arena, id, &head, NULL, &t->err));
    NOBODY(bough_session_root(t->store, id, root, &t->err));
    NOBODY(bough_latest_user_entry(t->store, id, root, &t->err));
    NOBODY(bough_path_hash(t->store, id, NULL, hash, &t->err));
    NOBODY(bough_label_get(t->store, t->arena, id, a, &text, &t->err));
    NOBODY(bough_label_list(t->store, t->arena, id, &labels, &t->err));
    NOBODY(bough_marker_latest(t->store, t->arena, id, true, &e, &t->err));
    NOBODY(bough_marker_list(t->store, t->arena, id, &entries, &t->err));
    NOBODY(bough_todo_get(t->store, t->arena, id, &todos, &t->err));
    NOBODY(bough_queue_list(t->store, t->arena, id, &prompts, &t->err));
    NOBODY(bough_call_list(t->store, t->arena, id, &calls, &t->err));
    NOBODY(bough_entry_by_number(t->store, t->arena, id, 1, &e, &t->err));
    NOBODY(bough_entry_get(t->store, t->arena, id, a, &e, &t->err));
    NOBODY(bough_attachment_list(t->store, t->arena, id, a, &files, &t->err));
    NOBODY(bough_tree_branches(t->store, t->arena, id, &branches, &t->err));
    NOBODY(bough_tree_children(t->store, t->arena, id, a, &entries, &t->err));
    NOBODY(bough_tree_entries(t->store, t->arena, id, NULL, &entries, &t->err));
    NOBODY(bough_tree_common(t->store, t->arena, id, a, a, &e, &t->err));
    NOBODY(bough_tree_lineage(t->store, t->arena, id, &line, &t->err));
    NOBODY(bough_message_list(t->store, t->arena, id, &open, &t->err));
}
#undef NOBODY

STORE_TEST(empty_and_missing_ids_are_invalid)
{
    const char *s = new_session(t, "");
    struct bough_session *session;
    struct bough_entry *e;

    REFUSED(BOUGH_INVALID, "session", bough_session_get(t->store, t->arena, "", &session, &t->err));
    REFUSED(BOUGH_INVALID, "session",
            bough_session_get(t->store, t->arena, NULL, &session, &t->err));
    REFUSED(BOUGH_INVALID, "session", put(t, NULL, message("x")));
    REFUSED(BOUGH_INVALID, "entry", bough_entry_get(t->store, t->arena, s, "", &e, &t->err));
    REFUSED(BOUGH_INVALID, "entry", bough_head_move(t->store, s, NULL, &t->err));
}

STORE_TEST(an_id_of_another_kind_is_not_found)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");
    struct bough_session *session;
    struct bough_memory in = { .of = s, .content = "c" }, *memory;
    struct bough_entry *e;
    struct bough_call *call;

    CHECK_OK(bough_memory_add(t->store, t->arena, &in, &memory, &t->err));
    REFUSED(BOUGH_NOT_FOUND, a, bough_session_get(t->store, t->arena, a, &session, &t->err));
    REFUSED(BOUGH_NOT_FOUND, s, bough_entry_get(t->store, t->arena, s, s, &e, &t->err));
    REFUSED(BOUGH_NOT_FOUND, a, bough_call_get(t->store, t->arena, a, &call, &t->err));
    REFUSED(BOUGH_NOT_FOUND, NULL, bough_call_get(t->store, t->arena, memory->id, &call, &t->err));
    REFUSED(
        BOUGH_MEMORY_NOT_FOUND, a,
        bough_memory_forget(t->store, t->arena, BOUGH_MEMORY_OF_SESSION, s, a, &memory, &t->err));
}

STORE_TEST(purged_ids_are_gone)
{
    const char *s = new_session(t, "title"), *a = user(t, s, "a");
    struct bough_session *session;
    struct bough_entry *e;
    const char *number = arena_printf(t->arena, "#%lld", (long long)get(t, s)->number);

    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    REFUSED(BOUGH_GONE, s, bough_session_get(t->store, t->arena, s, &session, &t->err));
    REFUSED(BOUGH_GONE, number, bough_session_get(t->store, t->arena, number, &session, &t->err));
    REFUSED(BOUGH_GONE, s, put(t, s, message("x")));
    REFUSED(BOUGH_GONE, s, bough_session_restore(t->store, s, &t->err));
    REFUSED(BOUGH_GONE, s, bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    REFUSED(BOUGH_GONE, a, bough_entry_get(t->store, t->arena, NULL, a, &e, &t->err));
}

STORE_TEST(a_fork_at_an_entry_of_a_stranger_is_refused)
{
    const char *s = new_session(t, ""), *other = new_session(t, ""), *x = user(t, other, "x");
    struct bough_session_fork_options how = { .entry = x };
    struct bough_session_create_options in = { .parent = s, .fork_entry = x };
    struct bough_session *out;
    const char *a = user(t, s, "a");

    REFUSED(BOUGH_INVALID, x, bough_session_fork(t->store, t->arena, s, &how, &out, &t->err));
    REFUSED(BOUGH_INVALID, x, bough_session_create(t->store, t->arena, &in, &out, &t->err));
    how.entry = user(t, s, "b");
    in.fork_entry = how.entry;
    in.parent = fork_at(t, s, a); /* forked before the entry, so it is not on its path */
    REFUSED(BOUGH_INVALID, how.entry, bough_session_create(t->store, t->arena, &in, &out, &t->err));
}

STORE_TEST(a_parent_that_is_not_there_is_refused)
{
    struct bough_session_create_options in = { .parent = "nobody",
                                               .kind = BOUGH_SUBAGENT,
                                               .id = "me" };
    struct bough_session *out;

    REFUSED(BOUGH_NOT_FOUND, "nobody",
            bough_session_create(t->store, t->arena, &in, &out, &t->err));
    in.parent = "me"; /* its own parent: no cycle is possible */
    REFUSED(BOUGH_NOT_FOUND, "me", bough_session_create(t->store, t->arena, &in, &out, &t->err));
    in.parent = NULL;
    in.fork_entry = "something";
    REFUSED(BOUGH_INVALID, NULL, bough_session_create(t->store, t->arena, &in, &out, &t->err));
}

/* --- numbers --- */

STORE_TEST(negative_numbers_are_refused)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e = message("x");
    struct bough_call_new call = { .used = { .input = -1 } };
    struct bough_append_options in = { .call = &call };
    struct bough_compact_options mark = { .summary = "S", .tokens_before = -1 };
    struct bough_append_result out;
    struct bough_entries_read_result path;
    char id[BOUGH_ID_LEN + 1];

    e.usage = &(struct bough_totals){ .output = -5 };
    REFUSED(BOUGH_INVALID, "negative", put(t, s, e));
    e = message("x");
    e.time = -1;
    REFUSED(BOUGH_INVALID, "negative", put(t, s, e));
    e = message("x");
    e.duration = -1;
    REFUSED(BOUGH_INVALID, "negative", put(t, s, e));
    REFUSED(BOUGH_INVALID, "negative", bough_append(t->store, t->arena, s, &in, &out, &t->err));
    REFUSED(BOUGH_INVALID, NULL, bough_compact(t->store, s, &mark, id, &t->err));
    REFUSED(BOUGH_INVALID, "limit",
            bough_entries_read(t->store, t->arena, s,
                               &(struct bough_entries_read_options){ .limit = -1 }, &path,
                               &t->err));
}

/* Refused when they come in, so that every total is exact; the limits themselves: totals.c. */
STORE_TEST(implausible_token_counts_are_refused)
{
    const char *s = new_session(t, "");
    struct bough_totals most = { .input = INT64_MAX - 10 };
    struct bough_entry_new e = message("x");

    e.usage = &(struct bough_totals){ .input = INT64_MAX - 10 };
    REFUSED(BOUGH_INVALID, "tokens", put(t, s, e));
    REFUSED(BOUGH_INVALID, NULL, bough_totals_add(t->store, s, &most, &t->err));
    CHECK_OK(put(t, s, message("fine")));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
}

STORE_TEST(kinds_and_roles_out_of_range_are_refused)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e = message("x");

    e.kind = (enum bough_entry_kind)99;
    REFUSED(BOUGH_INVALID, "99", put(t, s, e));
    e = message("x");
    e.role = (enum bough_role)99;
    REFUSED(BOUGH_INVALID, "99", put(t, s, e));
    e = message("x");
    e.role = BOUGH_ROLE_NONE;
    REFUSED(BOUGH_INVALID, "role", put(t, s, e));
    REFUSED(BOUGH_INVALID, "name",
            put(t, s, (struct bough_entry_new){ .kind = BOUGH_ENTRY_OTHER }));
    REFUSED(BOUGH_INVALID, "targetId",
            put(t, s, (struct bough_entry_new){ .kind = BOUGH_ENTRY_LABEL }));
    REFUSED(BOUGH_INVALID, NULL,
            bough_session_status(t->store, s, (enum bough_status)9, NULL, 0, NULL, &t->err));
}

/* --- text --- */

#define BAD "bad \xff"

#define NEW(field)                                                                                 \
    REFUSED(BOUGH_INVALID, "UTF-8",                                                                \
            bough_session_create(t->store, t->arena,                                               \
                                 &(struct bough_session_create_options){ .field = BAD }, &out,     \
                                 &t->err))
#define EDIT(field)                                                                                \
    REFUSED(BOUGH_INVALID, "UTF-8",                                                                \
            bough_session_update(t->store, s,                                                      \
                                 &(struct bough_session_update_options){ .field = BAD }, &t->err))
#define ENTRY(field)                                                                               \
    REFUSED(BOUGH_INVALID, "UTF-8",                                                                \
            put(t, s,                                                                              \
                (struct bough_entry_new){                                                          \
                    .kind = BOUGH_ENTRY_OTHER, .kind_name = "k", .field = BAD }))
#define CALL(field)                                                                                \
    REFUSED(BOUGH_INVALID, "UTF-8",                                                                \
            bough_append(t->store, t->arena, s,                                                    \
                         &(struct bough_append_options){                                           \
                             .call = &(struct bough_call_new){ .field = BAD } },                   \
                         &done, &t->err))
#define FORK(field)                                                                                \
    REFUSED(BOUGH_INVALID, "UTF-8",                                                                \
            bough_session_fork(t->store, t->arena, s,                                              \
                               &(struct bough_session_fork_options){ .field = BAD }, &out,         \
                               &t->err))

STORE_TEST(text_that_is_not_utf8_is_refused_in_every_argument_of_a_session)
{
    const char *s = new_session(t, "");
    struct bough_session *out;

    REFUSED(BOUGH_INVALID, "slug",
            bough_session_create(t->store, t->arena,
                                 &(struct bough_session_create_options){ .slug = BAD }, &out,
                                 &t->err));
    NEW(id);
    NEW(title);
    NEW(parent_tool_use_id);
    NEW(project);
    NEW(workspace);
    NEW(account);
    NEW(provider_path);
    NEW(role_name);
    NEW(model_provider);
    NEW(model_name);
    NEW(system_prompt);
    NEW(user_name);
    NEW(version);
    EDIT(title);
    EDIT(project);
    EDIT(workspace);
    EDIT(account);
    EDIT(provider_path);
    EDIT(role_name);
    EDIT(model_provider);
    EDIT(model_name);
    EDIT(system_prompt);
    EDIT(user_name);
    EDIT(version);
    FORK(id);
    FORK(title);
    FORK(model_provider);
    FORK(model_name);
    REFUSED(BOUGH_INVALID, "UTF-8", bough_session_rename(t->store, s, BAD, &t->err));
    CHECK_STR("", get(t, s)->title);
}

STORE_TEST(text_that_is_not_utf8_is_refused_in_every_argument_of_an_entry)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");
    struct bough_append_result done;
    char id[BOUGH_ID_LEN + 1];

    ENTRY(text);
    ENTRY(id);
    ENTRY(finish);
    CALL(id);
    CALL(request_id);
    CALL(want_provider);
    CALL(want_model);
    CALL(want_kind);
    CALL(provider);
    CALL(model);
    CALL(kind);
    CALL(status);
    REFUSED(BOUGH_INVALID, "UTF-8",
            put(t, s, (struct bough_entry_new){ .kind = BOUGH_ENTRY_OTHER, .kind_name = BAD }));
    REFUSED(BOUGH_INVALID, "UTF-8", bough_label_set(t->store, s, a, BAD, &t->err));
    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_session_status(t->store, s, BOUGH_STATUS_BUSY, BAD, 1000, NULL, &t->err));
    REFUSED(
        BOUGH_INVALID, "UTF-8",
        bough_compact(t->store, s, &(struct bough_compact_options){ .summary = BAD }, id, &t->err));
    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_branch_with_summary(
                t->store, s,
                &(struct bough_branch_with_summary_options){ .target = a, .summary = BAD }, id,
                &t->err));
    CHECK_STR("a", path_text(t, s));
}

STORE_TEST(notes_that_are_not_utf8_are_refused)
{
    const char *s = new_session(t, "");
    struct bough_memory memory = { .of = s, .content = "c" }, *remembered;
    struct bough_todo todo = { .content = BAD, .status = "pending", .priority = NULL };
    struct bough_append_result done;

    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_todo_replace(t->store, t->arena, s, &todo, 1, NULL, &t->err));
    memory.title = BAD;
    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_memory_add(t->store, t->arena, &memory, &remembered, &t->err));
    memory.title = NULL;
    memory.content = BAD;
    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_memory_add(t->store, t->arena, &memory, &remembered, &t->err));
    memory = (struct bough_memory){ .scope = BOUGH_MEMORY_OF_PROJECT, .of = BAD, .content = "c" };
    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_memory_add(t->store, t->arena, &memory, &remembered, &t->err));
    REFUSED(BOUGH_INVALID, "UTF-8",
            bough_append(
                t->store, t->arena, s,
                &(struct bough_append_options){ .call = &(struct bough_call_new){ 0 }, .key = BAD },
                &done, &t->err));
    CHECK_STR("", path_text(t, s));
}

STORE_TEST(text_longer_than_its_limit_is_too_large)
{
    const char *s = new_session(t, "");
    char *text = bough_arena_alloc(t->arena, LIMIT_TITLE + 2);
    struct bough_entry_new e = message("x");
    struct bough_session *out;

    memset(text, 'x', LIMIT_TITLE + 1);
    text[LIMIT_TITLE + 1] = '\0';
    REFUSED(BOUGH_TOO_LARGE, "title", bough_session_rename(t->store, s, text, &t->err));
    REFUSED(BOUGH_TOO_LARGE, "title",
            bough_session_create(t->store, t->arena,
                                 &(struct bough_session_create_options){ .title = text }, &out,
                                 &t->err));
    e.id = text;
    REFUSED(BOUGH_TOO_LARGE, "id", put(t, s, e));
    text[LIMIT_TITLE] = '\0';
    CHECK_OK(bough_session_rename(t->store, s, text, &t->err));
    CHECK_STR(text, get(t, s)->title);
}

/* --- JSON --- */

STORE_TEST(json_that_is_none_is_refused)
{
    static const char *const bad[] = { "{",          "{\"a\":}",   "{} x", "{'a':1}",
                                       "{\"a\":1,}", "{\"a\":01}", "nul",  "{\"a\":\"\xff\"}" };
    const char *s = new_session(t, "");
    struct bough_call_new call = { .model = "m" };
    struct bough_append_options in = { .call = &call };
    struct bough_append_result out;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bough_entry_new e = message("x");

        e.data = str_of(bad[i]);
        REFUSED(BOUGH_INVALID, "data", put(t, s, e));
        e = message("x");
        e.metadata = str_of(bad[i]);
        REFUSED(BOUGH_INVALID, "metadata", put(t, s, e));
        e = message("x");
        e.error = str_of(bad[i]);
        REFUSED(BOUGH_INVALID, "error", put(t, s, e));
        REFUSED(BOUGH_INVALID, "data",
                bough_session_update(
                    t->store, s, &(struct bough_session_update_options){ .data = str_of(bad[i]) },
                    &t->err));
        call.usage = str_of(bad[i]);
        REFUSED(BOUGH_INVALID, "usage", bough_append(t->store, t->arena, s, &in, &out, &t->err));
    }
}

static struct bough_str nested(struct test *t, const char *before, size_t depth)
{
    size_t n = strlen(before) + 2 * depth + 1;
    char *p = bough_arena_alloc(t->arena, n + 1);
    size_t at = strlen(before);

    memcpy(p, before, at);
    memset(p + at, '[', depth);
    memset(p + at + depth, ']', depth);
    p[n - 1] = '}';
    p[n] = '\0';
    return (struct bough_str){ p, n };
}

STORE_TEST(json_deeper_than_512_or_longer_than_its_limit_is_refused)
{
    const char *s = new_session(t, "");
    struct bough_str deep = nested(t, "{\"type\":\"x\",\"a\":", 600), fine;
    struct bough_str part = deep;
    struct bough_entry_new e = message(NULL);
    char *big = bough_arena_alloc(t->arena, LIMIT_METADATA + 32);

    e.parts = &part;
    e.nparts = 1;
    REFUSED(BOUGH_TOO_DEEP, "part 1", put(t, s, e));
    e = message("x");
    e.data = deep;
    REFUSED(BOUGH_TOO_DEEP, "data", put(t, s, e));
    fine = nested(t, "{\"type\":\"x\",\"a\":", 500);
    e.data = fine;
    CHECK_OK(put(t, s, e));
    memset(big, ' ', LIMIT_METADATA + 32);
    memcpy(big, "{}", 2);
    e = message("x");
    e.metadata = (struct bough_str){ big, LIMIT_METADATA + 1 };
    REFUSED(BOUGH_TOO_LARGE, "metadata", put(t, s, e));
}

STORE_TEST(parts_without_what_they_need_are_refused_by_number)
{
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"type\":1}",
        "{\"type\":\"\"}",
        "{\"type\":\"text\"}",
        "{\"type\":\"text\",\"text\":5}",
        "{\"type\":\"tool_use\",\"id\":\"x\"}",
        "{\"type\":\"tool_result\"}",
        "{\"type\":\"text\",\"text\":\"\xff\"}",
        "{\"type\":\"text\",\"text\":\"a\"} {}",
    };
    const char *s = new_session(t, "");

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bough_str parts[] = { str_of("{\"type\":\"text\",\"text\":\"fine\"}"),
                                     str_of(bad[i]) };
        struct bough_entry_new e = message(NULL);

        e.parts = parts;
        e.nparts = 2;
        REFUSED(BOUGH_INVALID_PART, "entry 1, part 2", put(t, s, e));
    }
    CHECK_OK(put(t, s, message("fine")));
}
