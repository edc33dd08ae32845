/* Names and fields of the record kinds that are printed. */
#include "store/contract/record_body.h"

#include <string.h>

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
    [RECORD_ORDER] = { "order", order_fields },
    [RECORD_STATE] = { "state", state_fields },
};

const struct body_field *state_table(const char *name)
{
    static const struct {
        const char *name;
        const struct body_field *fields;
    } named[] = { { "run", run_fields },
                  { "approval", approval_fields },
                  { "grant", grant_fields } };

    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(named[i].name, name) == 0)
            return named[i].fields;
    return state_fields;
}

const struct body_field *record_fields(int64_t kind, struct bough_str body)
{
    struct state_body state;

    if (kind < 0 || kind >= RECORD_KINDS)
        return NULL;
    if (kind == RECORD_STATE && body.n && !body_read(state_fields, body, &state, NULL))
        return state_table(state.name);
    return record_bodies[kind].fields;
}
