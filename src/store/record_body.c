/* The kinds of records that are printed: a name and its fields. A new one is a row here. */
#include "store/record_body.h"

const struct record_words record_bodies[RECORD_KINDS] = {
    [RECORD_CALL] = { "call", call_fields },
    [RECORD_ADJUST] = { "adjustment", adjust_fields },
    [RECORD_MEMORY] = { "memory", memory_fields },
    [RECORD_LABEL] = { "label", label_fields },
    [RECORD_TODO] = { "todo", todo_fields },
    [RECORD_QUEUE] = { "prompt", queue_fields },
    [RECORD_AUDIT] = { "audit", audit_fields },
    [RECORD_SOURCE] = { "source", source_fields },
    [RECORD_PROJECT] = { "project", place_fields },
    [RECORD_WORKSPACE] = { "workspace", place_fields },
    [RECORD_ACCOUNT] = { "account", place_fields },
};
