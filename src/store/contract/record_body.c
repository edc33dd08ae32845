/* Names and fields of the record kinds that are printed. */
#include "store/contract/record_body.h"

const struct record_words record_bodies[RECORD_KINDS] = {
    [RECORD_CALL] = { "call", call_fields },
    [RECORD_ADJUST] = { "adjustment", adjust_fields },
    [RECORD_MEMORY] = { "memory", memory_fields },
    [RECORD_LABEL] = { "label", label_fields },
    [RECORD_TODO] = { "todo", todo_fields },
    [RECORD_QUEUE] = { "prompt", queue_fields },
    [RECORD_AUDIT] = { "audit", audit_fields },
    [RECORD_SOURCE] = { "source", source_fields },
    [RECORD_PROJECT] = { "project", group_fields },
    [RECORD_WORKSPACE] = { "workspace", group_fields },
    [RECORD_ACCOUNT] = { "account", group_fields },
    [RECORD_STATE] = { "state", state_fields },
};
