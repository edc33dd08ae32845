/* Reserved words of what callers fill: anything but 0 is refused, in every function. */
#include <string.h>

#include <bough/bough.h>

#include "base/text/str.h"
#include "lib/store_test.h"

/* Each call must fail with BOUGH_INVALID and name its struct. */
#define REFUSED(type, call)                                                                        \
    do {                                                                                           \
        CHECK_RC(BOUGH_INVALID, call);                                                             \
        CHECK_STR(#type ".reserved must be zero: initialise the struct",                           \
                  strstr(t->err.msg, #type));                                                      \
    } while (0)
#define BAD(type, ...)                                                                             \
    &(struct type)                                                                                 \
    {                                                                                              \
        .reserved = { [sizeof(((struct type *)NULL)->reserved) / sizeof(uint64_t) - 1] = 1 },      \
        __VA_ARGS__                                                                                \
    }

STORE_TEST(a_reserved_word_of_an_append_must_be_zero)
{
    const char *s = new_session(t, "");
    struct bough_totals spent = { .reserved = { 0, 7 } };
    struct bough_entry_new e[3] = { { .role = BOUGH_ROLE_USER, .text = "a" },
                                    { .role = BOUGH_ROLE_USER, .text = "b" },
                                    { .role = BOUGH_ROLE_USER, .text = "c" } };
    struct bough_call_new call = { .model = "m" };
    struct bough_append_options in = { .entries = e, .n = 3, .call = &call };
    struct bough_record_options rec = { .history = e, .nhistory = 3 };
    struct bough_message_open_options open = { .entry = &e[2] };
    struct bough_append_result out;
    struct bough_record_result recorded;
    struct bough_message_open_result opened;

    e[2].reserved[6] = 1;
    REFUSED(bough_entry_new, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    REFUSED(bough_entry_new, bough_record(t->store, t->arena, s, &rec, &recorded, &t->err));
    e[2].text = NULL;
    REFUSED(bough_entry_new, bough_message_open(t->store, t->arena, s, &open, &opened, &t->err));
    e[2].text = "c";
    e[2].reserved[6] = 0;
    e[1].usage = &spent;
    REFUSED(bough_totals, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e[1].usage = NULL;
    call.used.reserved[0] = 1;
    REFUSED(bough_totals, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    call.used.reserved[0] = 0;
    call.reserved[0] = 1;
    REFUSED(bough_call_new, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    call.reserved[0] = 0;
    in.reserved[0] = 1;
    REFUSED(bough_append_options, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    in.reserved[0] = 0;
    rec.reserved[0] = 1;
    REFUSED(bough_record_options, bough_record(t->store, t->arena, s, &rec, &recorded, &t->err));
    open.reserved[0] = 1;
    REFUSED(bough_message_open_options,
            bough_message_open(t->store, t->arena, s, &open, &opened, &t->err));
    CHECK_INT(0, get(t, s)->messages);
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
}

STORE_TEST(a_reserved_word_of_a_budget_must_be_zero)
{
    struct bough_budget_reserve_options in = { .ask = { .estimate = 1 } };
    char hold[BOUGH_ID_LEN + 1];

    REFUSED(bough_budget_set_options,
            bough_budget_set(t->store, t->arena, BAD(bough_budget_set_options), NULL, &t->err));
    REFUSED(bough_budget_reserve_options,
            bough_budget_reserve(t->store, BAD(bough_budget_reserve_options), hold, &t->err));
    in.ask.reserved[3] = 1;
    REFUSED(bough_budget_ask, bough_budget_reserve(t->store, &in, hold, &t->err));
}

STORE_TEST(a_reserved_word_of_an_exchange_must_be_zero)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "a" };
    struct bough_exchange_begin_options in = { .history = &e, .nhistory = 1 };
    struct bough_exchange_reply reply = { .finish = "stop" };
    struct bough_call_new call = { .model = "m" };
    struct bough_exchange_finish_options end = { .reply = &reply, .call = &call };
    struct bough_exchange *x;
    struct bough_writing w;

    REFUSED(bough_exchange_begin_options,
            bough_exchange_begin(t->store, BAD(bough_exchange_begin_options), &x, NULL, &t->err));
    e.reserved[6] = 1;
    REFUSED(bough_entry_new, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    e.reserved[6] = 0;
    CHECK_OK(bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    REFUSED(bough_exchange_open_options,
            bough_exchange_open(t->store, x, BAD(bough_exchange_open_options), &w, &t->err));
    reply.reserved[3] = 1;
    REFUSED(bough_exchange_reply, bough_exchange_finish(t->store, x, &end, NULL, &t->err));
    end.nothers = 1;
    end.others = &reply;
    end.reply = NULL;
    REFUSED(bough_exchange_reply, bough_exchange_finish(t->store, x, &end, NULL, &t->err));
    reply.reserved[3] = 0;
    call.reserved[1] = 1;
    REFUSED(bough_call_new, bough_exchange_finish(t->store, x, &end, NULL, &t->err));
    call.reserved[1] = 0;
    end.failed = &call;
    end.reserved[5] = 1;
    REFUSED(bough_exchange_finish_options, bough_exchange_finish(t->store, x, &end, NULL, &t->err));
    end.reserved[5] = 0;
    CHECK_OK(bough_exchange_finish(t->store, x, &end, NULL, &t->err));
    bough_exchange_destroy(x);
}

STORE_TEST(a_reserved_word_of_options_must_be_zero)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");
    struct bough_session *session;
    struct bough_sessions sessions;
    struct bough_entries_read_result path;
    struct bough_entries entries;
    struct bough_context_result context;
    struct bough_tree_diff_result diff;
    struct bough_pick_result picked;
    struct bough_tree_outline_result outline;
    struct bough_tree_prompts_result prompts;
    struct bough_spend_result spent;
    struct bough_changes changes;
    struct bough_hits hits;
    struct bough_import_file_result imported;
    char id[BOUGH_ID_LEN + 1];

    REFUSED(bough_session_create_options,
            bough_session_create(t->store, t->arena, BAD(bough_session_create_options), &session,
                                 &t->err));
    REFUSED(bough_session_list_options,
            bough_session_list(t->store, t->arena, BAD(bough_session_list_options), &sessions,
                               &t->err));
    REFUSED(bough_session_update_options,
            bough_session_update(t->store, s, BAD(bough_session_update_options), &t->err));
    REFUSED(bough_session_fork_options,
            bough_session_fork(t->store, t->arena, s, BAD(bough_session_fork_options), &session,
                               &t->err));
    REFUSED(
        bough_entries_read_options,
        bough_entries_read(t->store, t->arena, s, BAD(bough_entries_read_options), &path, &t->err));
    REFUSED(bough_compact_options,
            bough_compact(t->store, s, BAD(bough_compact_options), id, &t->err));
    REFUSED(bough_context_options,
            bough_context(t->store, t->arena, s, BAD(bough_context_options, .dialect = "pi"),
                          &context, &t->err));
    REFUSED(bough_tree_entries_options,
            bough_tree_entries(t->store, t->arena, s, BAD(bough_tree_entries_options), &entries,
                               &t->err));
    REFUSED(bough_tree_diff_options,
            bough_tree_diff(t->store, t->arena, BAD(bough_tree_diff_options), &diff, &t->err));
    REFUSED(bough_pick_options,
            bough_pick(t->store, t->arena, s, BAD(bough_pick_options), &picked, &t->err));
    REFUSED(bough_tree_outline_options,
            bough_tree_outline(t->store, t->arena, s, BAD(bough_tree_outline_options), &outline,
                               &t->err));
    REFUSED(bough_tree_prompts_options,
            bough_tree_prompts(t->store, t->arena, s, BAD(bough_tree_prompts_options), &prompts,
                               &t->err));
    REFUSED(bough_spend_options,
            bough_spend(t->store, t->arena, BAD(bough_spend_options), &spent, &t->err));
    REFUSED(bough_price_recompute_options,
            bough_price_recompute(t->store, BAD(bough_price_recompute_options), NULL, &t->err));
    REFUSED(bough_branch_with_summary_options,
            bough_branch_with_summary(t->store, s, BAD(bough_branch_with_summary_options), id,
                                      &t->err));
    REFUSED(bough_store_log_options,
            bough_store_log(t->store, t->arena, BAD(bough_store_log_options), &changes, &t->err));
    REFUSED(bough_search_options,
            bough_search(t->store, t->arena, BAD(bough_search_options), &hits, &t->err));
    REFUSED(bough_attachment_read_options,
            bough_attachment_read(t->store, s, a, BAD(bough_attachment_read_options), &t->err));
    REFUSED(bough_import_file_options,
            bough_import_file(t->store, t->arena, "x", BAD(bough_import_file_options), &imported,
                              &t->err));
    REFUSED(bough_export_options,
            bough_export_session(t->store, s, BAD(bough_export_options), &t->err));
    REFUSED(bough_export_options, bough_export_notes(t->store, BAD(bough_export_options), &t->err));
    REFUSED(bough_export_options,
            bough_export_sessions(t->store, NULL, 0, BAD(bough_export_options), &t->err));
    REFUSED(bough_backup_options,
            bough_backup(t->store, "x", BAD(bough_backup_options), NULL, &t->err));
    REFUSED(bough_restore_options,
            bough_restore("x", "y", BAD(bough_restore_options), t->arena, NULL, &t->err));
    REFUSED(bough_env,
            bough_restore("x", "y", &(struct bough_restore_options){ .env = BAD(bough_env) },
                          t->arena, NULL, &t->err));
    REFUSED(bough_migrate_options,
            bough_migrate("x", "y", BAD(bough_migrate_options), NULL, &t->err));
    REFUSED(
        bough_queue_edit_options,
        bough_queue_edit(t->store, t->arena, s, "x", BAD(bough_queue_edit_options), NULL, &t->err));
}

STORE_TEST(a_reserved_word_of_a_record_must_be_zero)
{
    const char *s = new_session(t, "");
    struct bough_todo todos[2] = { { .content = "a", .status = "pending" },
                                   { .content = "b", .status = "pending", .reserved = { 1 } } };
    struct bough_tool_call call = { .id = "1", .name = "n", .arguments = "{}", .reserved = { 1 } };
    struct bough_chat_message says = { .role = "assistant", .tool_calls = &call, .ntool_calls = 1 };
    struct bough_hygge_part part = { .kind = "text", .reserved = { 1 } };
    struct bough_totals_propagate_result rolled;
    struct bough_writing writing = { .epoch = 1 };
    struct bough_message_open_result open;
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_step step = { .kind = BOUGH_STEP_PART, .reserved = { 1 } };
    struct bough_chat *chat;
    struct bough_str json;

    REFUSED(bough_memory,
            bough_memory_add(t->store, t->arena, BAD(bough_memory, .content = "x"), NULL, &t->err));
    REFUSED(bough_prompt, bough_queue_add(t->store, t->arena, s, BAD(bough_prompt, .content = "x"),
                                          NULL, &t->err));
    REFUSED(bough_source,
            bough_source_put(t->store, t->arena, BAD(bough_source, .path = "x"), NULL, &t->err));
    REFUSED(bough_todo, bough_todo_replace(t->store, t->arena, s, todos, 2, NULL, &t->err));
    REFUSED(bough_totals, bough_totals_add(t->store, s, BAD(bough_totals), &t->err));
    REFUSED(bough_totals,
            bough_totals_propagate(t->store, t->arena, s, BAD(bough_totals), &rolled, &t->err));
    CHECK_OK(bough_chat_create(&chat, t->store, s, &t->err));
    REFUSED(bough_tool_call, bough_chat_add(chat, &says, &t->err));
    says.reserved[0] = 1;
    REFUSED(bough_chat_message, bough_chat_add(chat, &says, &t->err));
    bough_chat_destroy(chat);
    REFUSED(bough_hygge_part, bough_hygge_marshal(t->arena, &part, 1, &json, &t->err));
    writing.reserved[3] = 1;
    REFUSED(bough_writing, bough_message_flush(t->store, &writing, NULL, &t->err));
    CHECK_OK(bough_message_open(t->store, t->arena, s,
                                &(struct bough_message_open_options){ .entry = &e }, &open,
                                &t->err));
    REFUSED(bough_step, bough_message_step(t->store, &open.writing, 0, &step, 1, NULL, &t->err));
    REFUSED(bough_message_seal_options,
            bough_message_seal(t->store, t->arena, &open.writing, BAD(bough_message_seal_options),
                               NULL, &t->err));
    CHECK_OK(bough_message_seal(t->store, t->arena, &open.writing, NULL, NULL, &t->err));
}

STORE_TEST(a_reserved_word_of_a_handle_must_be_zero)
{
    struct bough_store *other = NULL;
    const struct bough_store_open_options env = { .env = BAD(bough_env) };

    REFUSED(bough_store_open_options,
            bough_store_open(&other, "memory:", BAD(bough_store_open_options), &t->err));
    REFUSED(bough_env, bough_store_open(&other, "memory:", &env, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_store_open(&other, "memory:",
                                             &(struct bough_store_open_options){
                                                 .compression = (enum bough_compression)2 },
                                             &t->err));
    CHECK(!other);
    CHECK(!bough_store_scoped(t->store, BAD(bough_store_scoped_options)));
}

STORE_TEST(a_reserved_word_of_a_call_about_runs_must_be_zero)
{
    const char *s = new_session(t, "");
    struct bough_run_start_result started;
    struct bough_run_end_result ended;
    struct bough_runs runs;
    struct bough_run *run;
    struct bough_approvals approvals;
    struct bough_approval *approval;
    struct bough_grants grants;
    struct bough_grant *grant;

    REFUSED(bough_run_start_options,
            bough_run_start(t->store, t->arena, s, BAD(bough_run_start_options, .text = "a"),
                            &started, &t->err));
    REFUSED(bough_run_limits, bough_run_start(t->store, t->arena, s,
                                              &(struct bough_run_start_options){
                                                  .text = "a", .limits = { .reserved = { 0, 1 } } },
                                              &started, &t->err));
    REFUSED(bough_run_list_options,
            bough_run_list(t->store, t->arena, BAD(bough_run_list_options), &runs, &t->err));
    REFUSED(bough_run_claim_options,
            bough_run_claim(t->store, t->arena, "x", BAD(bough_run_claim_options, .host = "h"),
                            &run, &t->err));
    REFUSED(bough_run_set_options,
            bough_run_set(t->store, t->arena, "x", 1, BAD(bough_run_set_options), &run, &t->err));
    REFUSED(bough_run_end_options,
            bough_run_end(t->store, t->arena, "x", 1,
                          BAD(bough_run_end_options, .status = BOUGH_RUN_COMPLETED), &ended,
                          &t->err));
    REFUSED(
        bough_run_cancel_options,
        bough_run_cancel(t->store, t->arena, "x", BAD(bough_run_cancel_options), &run, &t->err));
    REFUSED(bough_approval_add_options,
            bough_approval_add(t->store, t->arena, "x", 1,
                               BAD(bough_approval_add_options, .tool = "t"), &approval, &t->err));
    REFUSED(bough_approval_resolve_options,
            bough_approval_resolve(
                t->store, t->arena, "x",
                BAD(bough_approval_resolve_options, .status = BOUGH_APPROVAL_APPROVED), &approval,
                &t->err));
    REFUSED(bough_approval_list_options,
            bough_approval_list(t->store, t->arena, BAD(bough_approval_list_options), &approvals,
                                &t->err));
    REFUSED(bough_grant_add_options,
            bough_grant_add(t->store, t->arena, BAD(bough_grant_add_options, .tool = "t"), &grant,
                            &t->err));
    REFUSED(bough_grant_list_options,
            bough_grant_list(t->store, t->arena, BAD(bough_grant_list_options), &grants, &t->err));
}
