/* Names of model.h's enums: enum to name and name to enum. Pure. */
#include "core/model/names.h"

#include "base/text/str.h"

const char *bough_entry_kind_name(enum bough_entry_kind kind)
{
    switch (kind) {
    case BOUGH_ENTRY_MESSAGE:
        return "message";
    case BOUGH_ENTRY_MODEL_CHANGE:
        return "model_change";
    case BOUGH_ENTRY_THINKING_LEVEL_CHANGE:
        return "thinking_level_change";
    case BOUGH_ENTRY_COMPACTION:
        return "compaction";
    case BOUGH_ENTRY_BRANCH_SUMMARY:
        return "branch_summary";
    case BOUGH_ENTRY_CUSTOM:
        return "custom";
    case BOUGH_ENTRY_CUSTOM_MESSAGE:
        return "custom_message";
    case BOUGH_ENTRY_LABEL:
        return "label";
    case BOUGH_ENTRY_SESSION_INFO:
        return "session_info";
    case BOUGH_ENTRY_OTHER:
        return "other";
    }
    return "other";
}

enum bough_entry_kind entry_kind_parse(const char *name)
{
    int kind;

    for (kind = BOUGH_ENTRY_MESSAGE; kind <= BOUGH_ENTRY_LAST; kind++) {
        if (cstr_eq(name, bough_entry_kind_name((enum bough_entry_kind)kind)))
            return (enum bough_entry_kind)kind;
    }
    return BOUGH_ENTRY_OTHER;
}

const char *bough_role_name(enum bough_role role)
{
    switch (role) {
    case BOUGH_ROLE_NONE:
        return "";
    case BOUGH_ROLE_SYSTEM:
        return "system";
    case BOUGH_ROLE_USER:
        return "user";
    case BOUGH_ROLE_ASSISTANT:
        return "assistant";
    case BOUGH_ROLE_TOOL:
        return "tool";
    case BOUGH_ROLE_BASH:
        return "bash";
    case BOUGH_ROLE_CUSTOM:
        return "custom";
    case BOUGH_ROLE_OTHER:
        return "other";
    }
    return "other";
}

/* Other tools' names for our roles. Importers keep the original name in data.role. */
static const struct {
    const char *word;
    enum bough_role role;
} role_aliases[] = {
    { "developer", BOUGH_ROLE_SYSTEM },   /* OpenAI */
    { "function", BOUGH_ROLE_TOOL },      /* OpenAI, old */
    { "toolResult", BOUGH_ROLE_TOOL },    /* pi */
    { "bashExecution", BOUGH_ROLE_BASH }, /* pi */
    { "hookMessage", BOUGH_ROLE_CUSTOM }, /* pi, version 2 */
    { "model", BOUGH_ROLE_ASSISTANT },    /* Gemini */
};

enum bough_role bough_role_parse(const char *name)
{
    int role;
    size_t i;

    if (cstr_empty(name))
        return BOUGH_ROLE_NONE;
    for (role = BOUGH_ROLE_SYSTEM; role <= BOUGH_ROLE_LAST; role++) {
        if (cstr_eq(name, bough_role_name((enum bough_role)role)))
            return (enum bough_role)role;
    }
    for (i = 0; i < sizeof role_aliases / sizeof *role_aliases; i++) {
        if (cstr_eq(name, role_aliases[i].word))
            return role_aliases[i].role;
    }
    return BOUGH_ROLE_OTHER;
}

const char *bough_cost_source_name(enum bough_cost_source source)
{
    switch (source) {
    case BOUGH_COST_UNSAID:
        return "";
    case BOUGH_COST_REPORTED:
        return "reported";
    case BOUGH_COST_LIST:
        return "list";
    case BOUGH_COST_ESTIMATED:
        return "estimated";
    case BOUGH_COST_UNKNOWN:
        return "unknown";
    }
    return "";
}

const char *bough_outcome_name(enum bough_outcome outcome)
{
    switch (outcome) {
    case BOUGH_OUTCOME_NONE:
        return "";
    case BOUGH_OUTCOME_OK:
        return "ok";
    case BOUGH_OUTCOME_ERROR:
        return "error";
    case BOUGH_OUTCOME_INTERRUPTED:
        return "interrupted";
    case BOUGH_OUTCOME_OPEN:
        return "open";
    }
    return "";
}

const char *bough_status_name(enum bough_status status)
{
    switch (status) {
    case BOUGH_STATUS_IDLE:
        return "idle";
    case BOUGH_STATUS_BUSY:
        return "busy";
    case BOUGH_STATUS_RETRY:
        return "retry";
    case BOUGH_STATUS_ARCHIVED:
        return "archived";
    }
    return "idle";
}

const char *bough_part_type_name(enum bough_part_type type)
{
    switch (type) {
    case BOUGH_PART_TEXT:
        return "text";
    case BOUGH_PART_REASONING:
        return "reasoning";
    case BOUGH_PART_TOOL:
        return "tool";
    case BOUGH_PART_FILE:
        return "file";
    case BOUGH_PART_STEP_START:
        return "step-start";
    case BOUGH_PART_STEP_FINISH:
        return "step-finish";
    case BOUGH_PART_PATCH:
        return "patch";
    case BOUGH_PART_SNAPSHOT:
        return "snapshot";
    case BOUGH_PART_AGENT:
        return "agent";
    case BOUGH_PART_COMPACTION:
        return "compaction";
    case BOUGH_PART_SUBTASK:
        return "subtask";
    case BOUGH_PART_RETRY:
        return "retry";
    case BOUGH_PART_OTHER:
        return "other";
    }
    return "other";
}
