/* Tables of body fields. Tags are stored on disk: append new ones, never change or reuse one. */
#include "core/pack/bodies.h"

const struct body_field session_fields[] = {
    FIELD(1, CSTR, session_body, title),
    FIELD(2, CSTR, session_body, origin),
    FIELD(3, I64, session_body, project),
    FIELD(4, I64, session_body, workspace),
    FIELD(5, I64, session_body, account),
    FIELD(6, CSTR, session_body, fork_entry),
    FIELD(7, I64, session_body, fork_bid),
    FIELD(8, I64, session_body, fork_depth),
    FIELD(9, CSTR, session_body, parent_tool_use_id),
    FIELD(10, CSTR, session_body, provider_path),
    FIELD(11, CSTR, session_body, role_name),
    FIELD(12, CSTR, session_body, model_provider),
    FIELD(13, CSTR, session_body, model_name),
    FIELD(14, CSTR, session_body, system_prompt),
    FIELD(15, CSTR, session_body, user_name),
    FIELD(16, CSTR, session_body, version),
    FIELD(17, STR, session_body, data),
    FIELD(18, STR, session_body, metadata),
    FIELD(19, I64, session_body, totals_mode),
    FIELD(20, I64, session_body, created),
    FIELD(21, CSTR, session_body, client_key),
    FIELD(22, I64, session_body, scope),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field list_fields[] = {
    FIELD_TOTALS(1, list_body, own),
    FIELD_TOTALS(7, list_body, below),
    FIELD_TOTALS(13, list_body, adjust),
    FIELD(19, I64, list_body, totals_mode),
    FIELD(20, I64, list_body, messages),
    FIELD(21, I64, list_body, calls),
    FIELD(22, CSTR, list_body, last_model),
    FIELD(23, CSTR, list_body, last_provider),
    FIELD(24, CSTR, list_body, last_request_id),
    FIELD(25, I64, list_body, last_cost),
    FIELD(26, I64, list_body, last_call_time),
    FIELD(27, I64, list_body, last_call_ord),
    FIELD(28, CSTR, list_body, first_user),
    FIELD(29, CSTR, list_body, last_user),
    FIELD(30, CSTR, list_body, last_agent),
    FIELD(31, I64, list_body, first_user_no),
    FIELD(32, I64, list_body, last_user_no),
    FIELD(33, I64, list_body, last_agent_no),
    FIELD(34, I64, list_body, rev),
    FIELD_TOTALS(35, list_body, rolls),
    FIELD(41, I64, list_body, last_said),
    FIELD(42, I64, list_body, errors),
    FIELD(43, I64, list_body, last_no),
    FIELD(44, I64, list_body, last_state),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field call_fields[] = {
    FIELD(1, I64, call_body, made),
    FIELD(2, I64, call_body, chk),
    FIELD(3, CSTR, call_body, origin),
    FIELD(4, CSTR, call_body, request_id),
    FIELD(5, CSTR, call_body, want_provider),
    FIELD(6, CSTR, call_body, want_model),
    FIELD(7, CSTR, call_body, want_kind),
    FIELD(8, CSTR, call_body, provider),
    FIELD(9, CSTR, call_body, model),
    FIELD(10, CSTR, call_body, kind),
    FIELD(11, CSTR, call_body, status),
    FIELD(12, STR, call_body, error),
    FIELD(13, STR, call_body, usage),
    FIELD_TOTALS(14, call_body, used),
    FIELD(20, I64, call_body, total_tokens),
    FIELD(21, I64, call_body, duration),
    FIELD(22, I64, call_body, time),
    FIELD(23, I64, call_body, project),
    FIELD(24, I64, call_body, account),
    FIELD(25, I64, call_body, attempt),
    FIELD(26, CSTR, call_body, exchange),
    FIELD(27, I64, call_body, first_byte),
    FIELD(28, I64, call_body, cost_source),
    FIELD(29, CSTR, call_body, principal),
    FIELD(30, I64, call_body, scope),
    FIELD(31, I64, call_body, at_bid),
    FIELD(32, I64, call_body, at_depth),
    FIELD(33, I64, call_body, system_at),
    FIELD(34, I64, call_body, system_sum),
    FIELD(35, I64, call_body, request_at),
    FIELD(36, I64, call_body, request_sum),
    FIELD(37, CSTR, call_body, purpose),
    FIELD(38, STR, call_body, notes),
    FIELD(39, STR, call_body, was),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field adjust_fields[] = {
    FIELD(1, I64, adjust_body, made),
    FIELD(2, I64, adjust_body, chk),
    FIELD_TOTALS(3, adjust_body, delta),
    FIELD(9, I64, adjust_body, time),
    FIELD(10, I64, adjust_body, project),
    FIELD(11, CSTR, adjust_body, why),
    FIELD(12, BOOL, adjust_body, rolls),
    FIELD(13, STR, adjust_body, spend),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field memory_fields[] = {
    FIELD(1, I64, memory_body, made),     FIELD(2, I64, memory_body, chk),
    FIELD(3, I64, memory_body, scope),    FIELD(4, I64, memory_body, project),
    FIELD(5, CSTR, memory_body, title),   FIELD(6, CSTR, memory_body, body),
    FIELD(7, CSTR, memory_body, content), FIELD(8, CSTR, memory_body, source),
    FIELD(9, CSTR, memory_body, path),    FIELD(10, I64, memory_body, created),
    FIELD(11, I64, memory_body, updated), { 0, FIELD_I64, 0, NULL },
};

const struct body_field label_fields[] = {
    FIELD(1, I64, label_body, bid),    FIELD(2, I64, label_body, depth),
    FIELD(3, CSTR, label_body, entry), FIELD(4, CSTR, label_body, text),
    FIELD(5, I64, label_body, time),   { 0, FIELD_I64, 0, NULL },
};

const struct body_field todo_fields[] = {
    FIELD(1, STR, todo_body, items),
    FIELD(2, I64, todo_body, updated),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field audit_fields[] = {
    FIELD(1, I64, audit_body, time),       FIELD(2, CSTR, audit_body, action),
    FIELD(3, CSTR, audit_body, target),    FIELD(4, CSTR, audit_body, detail),
    FIELD(5, CSTR, audit_body, principal), { 0, FIELD_I64, 0, NULL },
};

const struct body_field group_fields[] = {
    FIELD(1, I64, group_body, made),  FIELD(2, I64, group_body, chk),
    FIELD(3, CSTR, group_body, name), FIELD(4, I64, group_body, created),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field queue_fields[] = {
    FIELD(1, I64, queue_body, made),
    FIELD(2, I64, queue_body, chk),
    FIELD(3, I64, queue_body, order),
    FIELD(4, I64, queue_body, from),
    FIELD(5, CSTR, queue_body, content),
    FIELD(6, CSTR, queue_body, runtime_kind),
    FIELD(7, CSTR, queue_body, provider),
    FIELD(8, CSTR, queue_body, model),
    FIELD(9, CSTR, queue_body, workspace),
    FIELD(10, CSTR, queue_body, system_prompt),
    FIELD(11, CSTR, queue_body, adapter_id),
    FIELD(12, STR, queue_body, data),
    FIELD(13, I64, queue_body, created),
    FIELD(14, I64, queue_body, updated),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field source_fields[] = {
    FIELD(1, CSTR, source_body, path), /* also stored as the record's alias */
    FIELD(2, CSTR, source_body, format),
    FIELD(3, CSTR, source_body, hash),
    FIELD(4, CSTR, source_body, session),
    FIELD(5, I64, source_body, size),
    FIELD(6, I64, source_body, offset),
    FIELD(7, CSTR, source_body, owner),
    FIELD(8, I64, source_body, expires),
    FIELD(9, I64, source_body, updated),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field token_fields[] = {
    FIELD(1, I64, token_body, made),    FIELD(2, I64, token_body, chk),
    FIELD(3, CSTR, token_body, label),  FIELD(4, CSTR, token_body, project),
    FIELD(5, CSTR, token_body, hash),   FIELD(6, I64, token_body, scopes),
    FIELD(7, I64, token_body, created), FIELD(8, I64, token_body, expires),
    FIELD(9, I64, token_body, used),    FIELD(10, I64, token_body, kind),
    FIELD(11, CSTR, token_body, agent), { 0, FIELD_I64, 0, NULL },
};

const struct body_field quarantine_fields[] = {
    FIELD(1, I64, quarantine_body, time),  FIELD(2, CSTR, quarantine_body, where),
    FIELD(3, CSTR, quarantine_body, why),  FIELD(4, CSTR, quarantine_body, row),
    FIELD(5, STR, quarantine_body, bytes), { 0, FIELD_I64, 0, NULL },
};

const struct body_field state_fields[] = {
    FIELD(1, CSTR, state_body, name), FIELD(2, I64, state_body, time),
    FIELD(3, CSTR, state_body, by),   FIELD(4, STR, state_body, data),
    { 0, FIELD_I64, 0, NULL },
};

/* Tags 1 to 4 are those of state_fields. */
const struct body_field run_fields[] = {
    FIELD(1, CSTR, run_body, name),
    FIELD(2, I64, run_body, time),
    FIELD(3, CSTR, run_body, by),
    FIELD(4, STR, run_body, data),
    FIELD(5, I64, run_body, made),
    FIELD(6, I64, run_body, chk),
    FIELD(7, I64, run_body, number),
    FIELD(8, I64, run_body, runtime),
    FIELD(9, I64, run_body, status),
    FIELD(10, I64, run_body, why),
    FIELD(11, CSTR, run_body, task),
    FIELD(12, CSTR, run_body, after),
    FIELD(13, CSTR, run_body, adapter),
    FIELD(14, CSTR, run_body, native),
    FIELD(15, CSTR, run_body, provider),
    FIELD(16, CSTR, run_body, model),
    FIELD(17, CSTR, run_body, host),
    FIELD(18, CSTR, run_body, workspace),
    FIELD(19, CSTR, run_body, system_prompt),
    FIELD(20, STR, run_body, servers),
    FIELD(21, STR, run_body, git),
    FIELD(22, I64, run_body, bid),
    FIELD(23, I64, run_body, first),
    FIELD(24, I64, run_body, last),
    FIELD(25, I64, run_body, prompt_made),
    FIELD(26, I64, run_body, prompt_chk),
    FIELD(27, I64, run_body, max_turns),
    FIELD(28, I64, run_body, max_time),
    FIELD(29, I64, run_body, max_cost),
    FIELD(30, I64, run_body, turns),
    FIELD(31, I64, run_body, tools),
    FIELD(32, I64, run_body, approvals),
    FIELD(33, I64, run_body, settled),
    FIELD(34, I64, run_body, seen),
    FIELD(35, I64, run_body, context_used),
    FIELD(36, I64, run_body, context_size),
    FIELD(37, CSTR, run_body, cancel_by),
    FIELD(38, CSTR, run_body, cancel_note),
    FIELD(39, I64, run_body, cancel_time),
    FIELD(40, CSTR, run_body, error_code),
    FIELD(41, CSTR, run_body, error),
    FIELD(42, I64, run_body, started),
    FIELD(43, I64, run_body, ended),
    FIELD(44, I64, run_body, waiting),
    FIELD(45, I64, run_body, waited),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field approval_fields[] = {
    FIELD(1, CSTR, approval_body, name),    FIELD(2, I64, approval_body, time),
    FIELD(3, CSTR, approval_body, by),      FIELD(4, STR, approval_body, data),
    FIELD(5, I64, approval_body, made),     FIELD(6, I64, approval_body, chk),
    FIELD(7, I64, approval_body, run),      FIELD(8, CSTR, approval_body, entry),
    FIELD(9, I64, approval_body, part),     FIELD(10, CSTR, approval_body, tool),
    FIELD(11, CSTR, approval_body, kind),   FIELD(12, CSTR, approval_body, title),
    FIELD(13, STR, approval_body, options), FIELD(14, I64, approval_body, status),
    FIELD(15, I64, approval_body, scope),   FIELD(16, I64, approval_body, path),
    FIELD(17, CSTR, approval_body, option), FIELD(18, CSTR, approval_body, note),
    FIELD(19, I64, approval_body, expires), FIELD(20, I64, approval_body, settled),
    FIELD(21, BOOL, approval_body, stop),   { 0, FIELD_I64, 0, NULL },
};

const struct body_field grant_fields[] = {
    FIELD(1, CSTR, grant_body, name), FIELD(2, I64, grant_body, time),
    FIELD(3, CSTR, grant_body, by),   FIELD(4, STR, grant_body, data),
    FIELD(5, I64, grant_body, made),  FIELD(6, I64, grant_body, chk),
    FIELD(7, I64, grant_body, scope), FIELD(8, CSTR, grant_body, workspace),
    FIELD(9, CSTR, grant_body, tool), FIELD(10, CSTR, grant_body, approval),
    { 0, FIELD_I64, 0, NULL },
};

const struct body_field order_fields[] = {
    FIELD(1, I64, order_body, sid),
    FIELD(2, I64, order_body, ord),
    FIELD(3, I64, order_body, what),
    { 0, FIELD_I64, 0, NULL },
};
