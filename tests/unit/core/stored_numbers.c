/*
 * Every number that is stored, listed by hand. A store keeps numbers, not names, so a value that
 * gets another number changes the meaning of every store that exists.
 *
 * This test fails after you added a value: add a line at the end of its list, with the number you
 * gave it. It must never be made to pass by changing a line that is here already.
 */
#include "auth/auth.h"
#include "core/model/names.h"
#include "core/pack/bodies.h"
#include "core/pack/pack.h"
#include "core/search/search.h"
#include "formats/common/format.h"
#include "lib/test.h"
#include "store/contract/rows.h"

#include <stdio.h>

#include <bough/approval.h>
#include <bough/message.h>
#include <bough/notes.h>

struct number {
    const char *name;
    long long want, is;
};

#define N(value, number)                                                                           \
    {                                                                                              \
#value, number, value                                                                      \
    }

/* `last` is the highest number of the enum, or -1 when it has none. */
static void check(const struct number *at, size_t n, long long last)
{
    for (size_t i = 0; i < n; i++)
        if (at[i].want != at[i].is)
            FAIL("%s is stored as %lld in every store, not as %lld", at[i].name, at[i].want,
                 at[i].is);
    if (last >= 0 && at[n - 1].want != last)
        FAIL("the list ends with %s = %lld, but the last number is %lld: add what is new",
             at[n - 1].name, at[n - 1].want, last);
}

#define CHECK_NUMBERS(list, last) check(list, sizeof(list) / sizeof *(list), last)

TEST(part_types_keep_their_numbers)
{
    static const struct number part_types[] = {
        N(BOUGH_PART_TEXT, 0),       N(BOUGH_PART_REASONING, 1),  N(BOUGH_PART_TOOL, 2),
        N(BOUGH_PART_FILE, 3),       N(BOUGH_PART_STEP_START, 4), N(BOUGH_PART_STEP_FINISH, 5),
        N(BOUGH_PART_PATCH, 6),      N(BOUGH_PART_SNAPSHOT, 7),   N(BOUGH_PART_AGENT, 8),
        N(BOUGH_PART_COMPACTION, 9), N(BOUGH_PART_SUBTASK, 10),   N(BOUGH_PART_RETRY, 11),
        N(BOUGH_PART_OTHER, 12),
    };

    CHECK_NUMBERS(part_types, BOUGH_PART_LAST);
}

TEST(roles_keep_their_numbers)
{
    static const struct number roles[] = {
        N(BOUGH_ROLE_NONE, 0),      N(BOUGH_ROLE_SYSTEM, 1), N(BOUGH_ROLE_USER, 2),
        N(BOUGH_ROLE_ASSISTANT, 3), N(BOUGH_ROLE_TOOL, 4),   N(BOUGH_ROLE_BASH, 5),
        N(BOUGH_ROLE_CUSTOM, 6),    N(BOUGH_ROLE_OTHER, 7),
    };

    CHECK_NUMBERS(roles, BOUGH_ROLE_LAST);
}

TEST(entry_kinds_keep_their_numbers)
{
    static const struct number kinds[] = {
        N(BOUGH_ENTRY_MESSAGE, 0),
        N(BOUGH_ENTRY_MODEL_CHANGE, 1), /* the index entry_mark names 1, 2 and 3 */
        N(BOUGH_ENTRY_THINKING_LEVEL_CHANGE, 2),
        N(BOUGH_ENTRY_COMPACTION, 3),
        N(BOUGH_ENTRY_BRANCH_SUMMARY, 4),
        N(BOUGH_ENTRY_CUSTOM, 5),
        N(BOUGH_ENTRY_CUSTOM_MESSAGE, 6),
        N(BOUGH_ENTRY_LABEL, 7),
        N(BOUGH_ENTRY_SESSION_INFO, 8),
        N(BOUGH_ENTRY_OTHER, 9),
    };

    CHECK_NUMBERS(kinds, BOUGH_ENTRY_LAST);
}

TEST(numbers_of_a_session_keep_their_meaning)
{
    static const struct number session_kinds[] = { N(BOUGH_PRIMARY, 0), N(BOUGH_SUBAGENT, 1) };
    static const struct number statuses[] = {
        N(BOUGH_STATUS_IDLE, 0), N(BOUGH_STATUS_BUSY, 1), N(BOUGH_STATUS_RETRY, 2),
        N(BOUGH_STATUS_ARCHIVED, 3), /* PostgreSQL's index head_active names it */
    };
    static const struct number outcomes[] = {
        N(BOUGH_OUTCOME_NONE, 0),        N(BOUGH_OUTCOME_OK, 1),   N(BOUGH_OUTCOME_ERROR, 2),
        N(BOUGH_OUTCOME_INTERRUPTED, 3), N(BOUGH_OUTCOME_OPEN, 4), /* indexes name 1 */
    };
    static const struct number modes[] = { N(BOUGH_TOTALS_AUTO, 0), N(BOUGH_TOTALS_MANUAL, 1) };
    static const struct number scopes[] = { N(BOUGH_MEMORY_OF_SESSION, 0),
                                            N(BOUGH_MEMORY_OF_PROJECT, 1),
                                            N(BOUGH_MEMORY_OF_STORE, 2) };

    CHECK_NUMBERS(session_kinds, BOUGH_SESSION_KIND_LAST);
    CHECK_NUMBERS(statuses, BOUGH_STATUS_LAST);
    CHECK_NUMBERS(outcomes, BOUGH_OUTCOME_LAST);
    CHECK_NUMBERS(modes, -1);
    CHECK_NUMBERS(scopes, -1);
}

TEST(records_and_log_rows_keep_the_numbers_of_their_kinds)
{
    static const struct number records[] = {
        N(RECORD_CALL, 1),        N(RECORD_ADJUST, 2),   N(RECORD_MEMORY, 3),
        N(RECORD_LABEL, 4),       N(RECORD_TODO, 5),     N(RECORD_QUEUE, 6),
        N(RECORD_TOKEN, 7),       N(RECORD_AUDIT, 8),    N(RECORD_SOURCE, 9),
        N(RECORD_PROJECT, 10), /* PostgreSQL's view sessions names 10, 11 and 12 */
        N(RECORD_WORKSPACE, 11),  N(RECORD_ACCOUNT, 12), N(RECORD_ORDER, 13),
        N(RECORD_QUARANTINE, 14), N(RECORD_STATE, 15),
    };
    static const struct number logs[] = {
        N(CHANGELOG_SESSION_NEW, 1),    N(CHANGELOG_APPEND, 2),  N(CHANGELOG_SESSION, 3),
        N(CHANGELOG_HEAD, 4),           N(CHANGELOG_STATUS, 5),  N(CHANGELOG_DELETE, 6),
        N(CHANGELOG_RESTORE, 7),        N(CHANGELOG_PURGE, 8),   N(CHANGELOG_ENTRY_DELETE, 9),
        N(CHANGELOG_ENTRY_RESTORE, 10), N(CHANGELOG_RECORD, 11), N(CHANGELOG_ADJUST, 12),
        N(CHANGELOG_CALL_DELETE, 13),   N(CHANGELOG_OPEN, 14),   N(CHANGELOG_SEAL, 15),
        N(CHANGELOG_REPRICE, 16),       N(CHANGELOG_RUN, 17),    N(CHANGELOG_APPROVAL, 18),
    };

    CHECK_NUMBERS(records, RECORD_LAST);
    CHECK_NUMBERS(logs, CHANGELOG_LAST);
}

TEST(numbers_of_runs_and_approvals_keep_their_meaning)
{
    static const struct number statuses[] = {
        N(BOUGH_RUN_QUEUED, 0),    N(BOUGH_RUN_RUNNING, 1), N(BOUGH_RUN_AWAITING_APPROVAL, 2),
        N(BOUGH_RUN_COMPLETED, 3), N(BOUGH_RUN_FAILED, 4),  N(BOUGH_RUN_CANCELLED, 5),
    };
    static const struct number runtimes[] = { N(BOUGH_RUNTIME_MODEL, 0), N(BOUGH_RUNTIME_AGENT, 1),
                                              N(BOUGH_RUNTIME_EXTERNAL, 2) };
    static const struct number whys[] = { N(BOUGH_RUN_START, 0), N(BOUGH_RUN_CONTINUE, 1),
                                          N(BOUGH_RUN_RESUME, 2), N(BOUGH_RUN_RETRY, 3) };
    static const struct number approvals[] = {
        N(BOUGH_APPROVAL_PENDING, 0),   N(BOUGH_APPROVAL_APPROVED, 1),
        N(BOUGH_APPROVAL_REJECTED, 2),  N(BOUGH_APPROVAL_CANCELLED, 3),
        N(BOUGH_APPROVAL_TIMED_OUT, 4),
    };
    static const struct number scopes[] = {
        N(BOUGH_SCOPE_ONCE, 0),
        N(BOUGH_SCOPE_SESSION, 1),
        N(BOUGH_SCOPE_WORKSPACE, 2),
        N(BOUGH_SCOPE_ALWAYS, 3),
    };
    static const struct number paths[] = {
        N(BOUGH_PATH_NONE, 0),   N(BOUGH_PATH_PERSON, 1),  N(BOUGH_PATH_GRANT, 2),
        N(BOUGH_PATH_POLICY, 3), N(BOUGH_PATH_TIMEOUT, 4), N(BOUGH_PATH_RUN_ENDED, 5),
    };
    static const struct number orders[] = { N(ORDER_RUN, 1), N(ORDER_APPROVAL, 2) };

    CHECK_NUMBERS(statuses, BOUGH_RUN_STATUS_LAST);
    CHECK_NUMBERS(runtimes, BOUGH_RUNTIME_LAST);
    CHECK_NUMBERS(whys, BOUGH_RUN_WHY_LAST);
    CHECK_NUMBERS(approvals, BOUGH_APPROVAL_LAST);
    CHECK_NUMBERS(scopes, BOUGH_SCOPE_LAST);
    CHECK_NUMBERS(paths, BOUGH_PATH_LAST);
    CHECK_NUMBERS(orders, ORDER_LAST);
}

TEST(columns_of_rows_keep_their_numbers)
{
    static const struct number masks[] = {
        N(MASK_PART, 1),
        N(MASK_ROLE, 65536),
        N(MASK_USAGE, 16777216),
        N(MASK_UNLINKED, 33554432),
        N(MASK_OPEN, 67108864),
        N(MASK_FAILED, 134217728),
        N(MASK_STOPPED, 268435456),
        N(MASK_ERRORS, 32),
    };
    static const struct number aliases[] = { N(ALIAS_COPIED, 258), N(ALIAS_SESSION, 1),
                                             N(ALIAS_ENTRY, 2), N(ALIAS_RECORD, 3) };
    static const struct number blobs[] = { N(BLOB_WRITING, 0), N(BLOB_LOOSE, 1),
                                           N(BLOB_LINKED, 2) };
    static const struct number fields[] = {
        N(SEARCH_TEXT, 0),   N(SEARCH_REASONING, 1), N(SEARCH_TOOL, 2),  N(SEARCH_INPUT, 3),
        N(SEARCH_OUTPUT, 4), N(SEARCH_FILE, 5),      N(SEARCH_TITLE, 6),
    };

    CHECK_NUMBERS(masks, -1);
    CHECK_NUMBERS(aliases, ALIAS_LAST);
    CHECK_NUMBERS(blobs, BLOB_LAST);
    CHECK_NUMBERS(fields, SEARCH_FIELDS - 1);
}

TEST(packed_bytes_and_tokens_keep_their_numbers)
{
    static const struct number sources[] = { N(BOUGH_COST_UNSAID, 0), N(BOUGH_COST_REPORTED, 1),
                                             N(BOUGH_COST_LIST, 2), N(BOUGH_COST_ESTIMATED, 3),
                                             N(BOUGH_COST_UNKNOWN, 4) };
    static const struct number steps[] = { N(BOUGH_STEP_PART, 0), N(BOUGH_STEP_TEXT, 1),
                                           N(BOUGH_STEP_STATE, 2) };
    static const struct number packs[] = { N(PACK_VERSION, 1), N(PACK_ZSTD, 16), N(PACK_STUB, 32),
                                           N(PACK_PREFIX, 15), N(PACK_BASE64, 1) };
    static const struct number scopes[] = {
        N(AUTH_READ, 1),    N(AUTH_APPEND, 2),    N(AUTH_FORK, 4),     N(AUTH_DELETE, 8),
        N(AUTH_EXPORT, 16), N(AUTH_ADMIN, 32),    N(AUTH_GATEWAY, 64), N(AUTH_MCP, 128),
        N(AUTH_RUN, 256),   N(AUTH_APPROVE, 512),
    };

    CHECK_NUMBERS(sources, BOUGH_COST_SOURCE_LAST);
    CHECK_NUMBERS(steps, BOUGH_STEP_LAST);
    CHECK_NUMBERS(packs, -1);
    CHECK_NUMBERS(scopes, (AUTH_ALL + 1) / 2);
}

/* A value behind *_LAST would be refused as unknown, or read as "other". */
TEST(no_value_lies_behind_the_last_number)
{
    for (int i = BOUGH_PART_LAST + 1; i < 128; i++)
        CHECK_STR("other", bough_part_type_name((enum bough_part_type)i));
    for (int i = BOUGH_ENTRY_LAST + 1; i < 128; i++)
        CHECK_STR("other", bough_entry_kind_name((enum bough_entry_kind)i));
    for (int i = BOUGH_ROLE_LAST + 1; i < 128; i++)
        CHECK_STR("other", bough_role_name((enum bough_role)i));
    for (int i = BOUGH_STATUS_LAST + 1; i < 128; i++)
        CHECK_STR("idle", bough_status_name((enum bough_status)i));
}

/* ---- tags ---- */

struct tags {
    const char *table;
    const struct body_field *fields;
    const char *want;
};

/* Tag and member; "s" where bytes follow, else a number. */
static const struct tags tags[] = {
    { "session", session_fields,
      "1s title, 2s origin, 3 project, 4 workspace, 5 account, 6s fork_entry, 7 fork_bid, "
      "8 fork_depth, 9s parent_tool_use_id, 10s provider_path, 11s role_name, 12s model_provider, "
      "13s model_name, 14s system_prompt, 15s user_name, 16s version, 17s data, 18s metadata, "
      "19 totals_mode, 20 created, 21s client_key, 22 scope" },
    { "list", list_fields,
      "1 own.input, 2 own.output, 3 own.reasoning, 4 own.cache_read, 5 own.cache_write, "
      "6 own.cost, 7 below.input, 8 below.output, 9 below.reasoning, 10 below.cache_read, "
      "11 below.cache_write, 12 below.cost, 13 adjust.input, 14 adjust.output, "
      "15 adjust.reasoning, 16 adjust.cache_read, 17 adjust.cache_write, 18 adjust.cost, "
      "19 totals_mode, 20 messages, 21 calls, 22s last_model, 23s last_provider, "
      "24s last_request_id, 25 last_cost, 26 last_call_time, 27 last_call_ord, 28s first_user, "
      "29s last_user, 30s last_agent, 31 first_user_no, 32 last_user_no, 33 last_agent_no, 34 rev, "
      "35 rolls.input, 36 rolls.output, 37 rolls.reasoning, 38 rolls.cache_read, "
      "39 rolls.cache_write, 40 rolls.cost, 41 last_said, 42 errors, 43 last_no, 44 last_state" },
    { "call", call_fields,
      "1 made, 2 chk, 3s origin, 4s request_id, 5s want_provider, 6s want_model, 7s want_kind, "
      "8s provider, 9s model, 10s kind, 11s status, 12s error, 13s usage, 14 used.input, "
      "15 used.output, 16 used.reasoning, 17 used.cache_read, 18 used.cache_write, 19 used.cost, "
      "20 total_tokens, 21 duration, 22 time, 23 project, 24 account, 25 attempt, 26s exchange, "
      "27 first_byte, 28 cost_source, 29s principal, 30 scope, 31 at_bid, 32 at_depth, "
      "33 system_at, 34 system_sum, 35 request_at, 36 request_sum, 37s purpose, 38s notes, "
      "39s was" },
    { "adjust", adjust_fields,
      "1 made, 2 chk, 3 delta.input, 4 delta.output, 5 delta.reasoning, 6 delta.cache_read, "
      "7 delta.cache_write, 8 delta.cost, 9 time, 10 project, 11s why, 12 rolls, 13s spend" },
    { "memory", memory_fields,
      "1 made, 2 chk, 3 scope, 4 project, 5s title, 6s body, 7s content, 8s source, 9s path, "
      "10 created, 11 updated" },
    { "label", label_fields, "1 bid, 2 depth, 3s entry, 4s text, 5 time" },
    { "todo", todo_fields, "1s items, 2 updated" },
    { "audit", audit_fields, "1 time, 2s action, 3s target, 4s detail, 5s principal" },
    { "group", group_fields, "1 made, 2 chk, 3s name, 4 created" },
    { "queue", queue_fields,
      "1 made, 2 chk, 3 order, 4 from, 5s content, 6s runtime_kind, 7s provider, 8s model, "
      "9s workspace, 10s system_prompt, 11s adapter_id, 12s data, 13 created, 14 updated" },
    { "source", source_fields,
      "1s path, 2s format, 3s hash, 4s session, 5 size, 6 offset, 7s owner, 8 expires, 9 updated" },
    { "token", token_fields,
      "1 made, 2 chk, 3s label, 4s project, 5s hash, 6 scopes, 7 created, 8 expires, 9 used, "
      "10 kind, 11s agent" },
    { "quarantine", quarantine_fields, "1 time, 2s where, 3s why, 4s row, 5s bytes" },
    { "state", state_fields, "1s name, 2 time, 3s by, 4s data" },
    { "run", run_fields,
      "1s name, 2 time, 3s by, 4s data, 5 made, 6 chk, 7 number, 8 runtime, 9 status, 10 why, "
      "11s task, 12s after, 13s adapter, 14s native, 15s provider, 16s model, 17s host, 18s "
      "workspace, 19s system_prompt, 20s servers, 21s git, 22 bid, 23 first, 24 last, 25 "
      "prompt_made, 26 prompt_chk, 27 max_turns, 28 max_time, 29 max_cost, 30 turns, 31 "
      "tools, 32 approvals, 33 settled, 34 seen, 35 context_used, 36 context_size, 37s "
      "cancel_by, 38s cancel_note, 39 cancel_time, 40s error_code, 41s error, 42 started, 43 "
      "ended, 44 waiting, 45 waited" },
    { "approval", approval_fields,
      "1s name, 2 time, 3s by, 4s data, 5 made, 6 chk, 7 run, 8s entry, 9 part, 10s tool, 11s "
      "kind, 12s title, 13s options, 14 status, 15 scope, 16 path, 17s option, 18s note, 19 "
      "expires, 20 settled, 21 stop" },
    { "grant", grant_fields,
      "1s name, 2 time, 3s by, 4s data, 5 made, 6 chk, 7 scope, 8s workspace, 9s tool, 10s "
      "approval" },
    { "order", order_fields, "1 sid, 2 ord, 3 what" },
};

TEST(fields_of_packed_bodies_keep_their_tags)
{
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        char got[2048];
        size_t n = 0;

        for (const struct body_field *f = tags[i].fields; f->tag; f++)
            n +=
                (size_t)snprintf(got + n, sizeof got - n, "%s%d%s %s", n ? ", " : "", f->tag,
                                 f->type == FIELD_CSTR || f->type == FIELD_STR ? "s" : "", f->name);
        if (strcmp(tags[i].want, got) != 0)
            FAIL("%s_fields: a tag is for ever, add at the end\nwant: %s\n got: %s", tags[i].table,
                 tags[i].want, got);
    }
}

TEST(formats_and_givers_of_ids_keep_their_numbers)
{
    static const struct number from[] = {
        N(ORIGIN_UNKNOWN, 0),     N(ORIGIN_CALLER, 1),    N(FORMAT_BOUGH, 2),
        N(FORMAT_PI, 3),          N(FORMAT_CODEX, 4),     N(FORMAT_CLAUDE_CODE, 5),
        N(FORMAT_OPENCODE, 6),    N(FORMAT_AI_SDK, 7),    N(FORMAT_ANTHROPIC, 8),
        N(FORMAT_OPENAI_CHAT, 9), N(FORMAT_MARKDOWN, 10), N(FORMAT_HTML, 11),
        N(FORMAT_HYGGE, 12),      N(FORMAT_HECATE, 13),   N(FORMAT_OPENAI_RESPONSES, 14),
        N(FORMAT_GEMINI_CLI, 15), N(FORMAT_LLM, 16),      N(FORMAT_GEMINI_CLI_JSON, 17),
    };

    CHECK_NUMBERS(from, FORMAT_LAST);
    for (size_t i = 0; all_formats[i]; i++) {
        CHECK(all_formats[i]->number >= FORMAT_BOUGH);
        for (size_t k = 0; k < i; k++)
            CHECK(all_formats[i]->number != all_formats[k]->number);
    }
}
