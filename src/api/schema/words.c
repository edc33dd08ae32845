/* Lists of words that members and query parameters can be. */
#include "api/schema/schema.h"

#include "core/search/search.h"
#include "formats/common/format.h"

/* A function that gives the words one by one. */
#define LIST(NAME, ...)                                                                            \
    static const char *NAME(size_t i)                                                              \
    {                                                                                              \
        static const char *const words[] = { __VA_ARGS__ };                                        \
                                                                                                   \
        return i < sizeof words / sizeof *words ? words[i] : NULL;                                 \
    }

static const char *entry_kinds(size_t i)
{
    return i < BOUGH_ENTRY_OTHER ? bough_entry_kind_name((enum bough_entry_kind)i) : NULL;
}

static const char *roles(size_t i)
{
    return i < BOUGH_ROLE_LAST ? bough_role_name((enum bough_role)(i + 1)) : NULL;
}

static const char *statuses(size_t i)
{
    return i <= BOUGH_STATUS_LAST ? bough_status_name((enum bough_status)i) : NULL;
}

static const char *part_types(size_t i)
{
    return i <= BOUGH_PART_LAST ? bough_part_type_name((enum bough_part_type)i) : NULL;
}

static const char *search_fields(size_t i)
{
    return i < SEARCH_FIELDS ? search_field_name((enum search_field)i) : NULL;
}

static const char *outcomes(size_t i)
{
    return i < BOUGH_OUTCOME_LAST ? bough_outcome_name((enum bough_outcome)(i + 1)) : NULL;
}

static const char *cost_sources(size_t i)
{
    return i < BOUGH_COST_SOURCE_LAST ? bough_cost_source_name((enum bough_cost_source)(i + 1))
                                      : NULL;
}

static const char *budget_scopes(size_t i)
{
    return bough_budget_scope_name((enum bough_budget_scope)i);
}

static const char *budget_windows(size_t i)
{
    return bough_budget_window_name((enum bough_budget_window)i);
}

static const char *outline_kinds(size_t i)
{
    return i <= BOUGH_OUTLINE_SUBAGENT ? bough_outline_kind_name((enum bough_outline_kind)i) : NULL;
}

static const char *error_codes(size_t i)
{
    int status;

    return api_error_code(i, &status);
}

LIST(session_kinds, "primary", "subagent")
LIST(scopes, "session", "project", "all")
LIST(todo_statuses, "pending", "in_progress", "completed", "cancelled")
LIST(import_statuses, "new", "grew", "unchanged", "edited")
LIST(part_kinds, "text", "reasoning", "call", "result", "tool", "file", "other")
LIST(tool_states, "pending", "running", "completed", "error")
LIST(backends, "sqlite", "postgres", "memory")
LIST(changes, "create", "append", "update", "status", "head", "delete", "restore", "purge",
     "entry_delete", "entry_restore", "open", "seal", "record", "adjust", "call_delete", "reprice",
     "run", "approval")
LIST(provider_kinds, "openai", "anthropic", "gemini", "openai-compatible", "demo")
LIST(provider_auths, "key", "client", "none")
LIST(token_kinds, "api", "browser")
LIST(alkhub_roles, "user", "assistant", "system")
LIST(ui_roles, "system", "user", "assistant")

static const char *run_statuses(size_t i)
{
    return i <= BOUGH_RUN_STATUS_LAST ? bough_run_status_name((enum bough_run_status)i) : NULL;
}

static const char *run_runtimes(size_t i)
{
    return i <= BOUGH_RUNTIME_LAST ? bough_run_runtime_name((enum bough_run_runtime)i) : NULL;
}

static const char *run_whys(size_t i)
{
    return i <= BOUGH_RUN_WHY_LAST ? bough_run_why_name((enum bough_run_why)i) : NULL;
}

static const char *approval_statuses(size_t i)
{
    return i <= BOUGH_APPROVAL_LAST ? bough_approval_status_name((enum bough_approval_status)i)
                                    : NULL;
}

static const char *approval_scopes(size_t i)
{
    return i <= BOUGH_SCOPE_LAST ? bough_approval_scope_name((enum bough_approval_scope)i) : NULL;
}

const struct api_words api_words[] = {
    { "AlkhubRole", "The role of a message of alkhub.", alkhub_roles, false },
    { "ApprovalScope", "How far an approval reaches.", approval_scopes, true },
    { "ApprovalStatus", "How an approval stands.", approval_statuses, true },
    { "Backend", "What keeps the store.", backends, false },
    { "BudgetScope",
      "What a budget is for; `session` is a session with its subagents at any depth.",
      budget_scopes, true },
    { "BudgetWindow", "A day or month of UTC, or all that was ever spent.", budget_windows, true },
    { "ChangeKind",
      "What a commit did: create, update (fields), status, head, delete, restore or purge of a "
      "session; append, entry_delete or entry_restore of entries; open or seal of an open message; "
      "record (a label, memory, todo list or prompt); adjust of totals; call_delete; reprice of a "
      "call.",
      changes, true },
    { "CostSource",
      "Where a cost comes from: reported by the provider, by the list prices, estimated, or "
      "unknown "
      "(then it is 0 and means nothing).",
      cost_sources, true },
    { "EntryKind",
      "The kind of an entry. Other words are kept and given back as they came; `custom` is data of "
      "a program, `custom_message` a message of one.",
      entry_kinds, true },
    { "ErrorCode", "A stable name of the error.", error_codes, true },
    { "FormatName", "A format that can be imported.", format_read_name, true },
    { "ImportStatus",
      "What an import found: a new file, one that grew, the same, or an edited one.",
      import_statuses, false },
    { "MemoryScope", "What a memory belongs to; `all` is the whole store.", scopes, false },
    { "Outcome",
      "What became of a message: ok; error: it has one, or it is the result of a tool that failed; "
      "interrupted: its writer stopped; open: it is still being written.",
      outcomes, true },
    { "OutlineKind",
      "label; compaction, branch_summary: the entry is one; fork, subagent: a session hangs on it.",
      outline_kinds, true },
    { "PartKind",
      "What a part is: a tool call and its result are one part in some formats (tool) "
      "and two in others (call, result).",
      part_kinds, false },
    { "PartType", "The type of a part; `other` for types that bough does not know.", part_types,
      true },
    { "ProviderAuth", "How a provider is asked.", provider_auths, false },
    { "ProviderKind", "What a provider is.", provider_kinds, true },
    { "Role", "Who speaks, in bough's words.", roles, false },
    { "RoleWord",
      "The role of a message. Any word is taken and given back: `developer` and `model` mean "
      "system and assistant.",
      roles, true },
    { "RunRuntime",
      "What answers: one call of a model, the agent loop, or another program over ACP.",
      run_runtimes, true },
    { "RunStatus", "How a run stands; completed, failed and cancelled are final.", run_statuses,
      true },
    { "RunWhy",
      "start: a prompt that begins a task; continue: another prompt of it; resume, retry: without "
      "a prompt.",
      run_whys, true },
    { "SearchField", "Where the words were found.", search_fields, true },
    { "SessionKind", "`subagent` for sessions that another session spawned.", session_kinds,
      false },
    { "SessionStatus",
      "idle; busy while an owner works in it; retry while it waits to try again; archived: it can "
      "only be read.",
      statuses, false },
    { "ToolState", "How far a tool call is.", tool_states, false },
    { "TodoStatus", "The state of a todo item.", todo_statuses, false },
    { "TokenKind", "A token for programs, or a browser that is signed in.", token_kinds, true },
    { "UIRole", "The role of a UIMessage.", ui_roles, false },
    { 0 },
};
