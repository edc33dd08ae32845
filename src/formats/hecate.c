/* Hecate's SQLite file, reader: chat sessions with their messages and provider calls (C1). */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "formats/common/names.h"
#include "formats/common/rows.h"
#include "formats/messages/messages.h"

struct hecate {
    int64_t calls;
    struct names numbers; /* id of a call -> its number, as text */
};

static struct hecate *state_of(struct reading *r)
{
    if (!r->state)
        r->state = arena_zalloc(r->kept, sizeof(struct hecate));
    return r->state;
}

/* Go writes "2026-05-08 19:33:07.123456789 +0000 UTC m=+0.012"; others use ISO 8601 or a number. */
static int64_t time_column(struct reading *r, struct json row, const char *name)
{
    const char *text = json_cstr(r->a, row, name), *space;
    char day[40] = "", clock[40] = "", zone[40] = "";

    if (!text)
        return number_of(row, name);
    space = strchr(text, ' ');
    if (!space || !strchr(space + 1, ' '))
        return iso_parse(text);
    if (sscanf(text, "%39s %39s %39s", day, clock, zone) != 3)
        return 0;
    return iso_parse(arena_printf(r->a, "%s %s%s", day, clock, zone));
}

static enum bough_rc take_session(struct reading *r, struct json row, struct bough_error *err)
{
    static const char *const placed[] = { "id",        "title",      "system_prompt",
                                          "user_name", "created_at", NULL };
    struct item item = { .kind = ITEM_SESSION };

    item.u.session = (struct item_session){ .id = json_cstr(r->a, row, "id"),
                                            .title = json_cstr(r->a, row, "title"),
                                            .system_prompt = json_cstr(r->a, row, "system_prompt"),
                                            .user_name = json_cstr(r->a, row, "user_name"),
                                            .created = time_column(r, row, "created_at"),
                                            .data = row_rest(r, row, placed, "hecate.row") };
    if (cstr_empty(item.u.session.id))
        return give_problem(r, err, "a session without an id was left out");
    return give(r, &item, err);
}

/* The cost is in micro-USD. The call's id and raw counters stay in its usage. */
static enum bough_rc take_call(struct reading *r, struct json row, struct bough_error *err)
{
    static const char *const placed[] = { "session_id", "request_id",    "requested_provider",
                                          "provider",   "provider_kind", "requested_model",
                                          "model",      "created_at",    NULL };
    struct hecate *h = state_of(r);
    struct item item = { .kind = ITEM_CALL };
    const char *id = json_cstr(r->a, row, "id");
    int64_t micros = number_of(row, "cost_micros_usd");

    item.u.call = (struct item_call){
        .n = ++h->calls,
        .call = { .request_id = json_cstr(r->a, row, "request_id"),
                  .want_provider = json_cstr(r->a, row, "requested_provider"),
                  .want_model = json_cstr(r->a, row, "requested_model"),
                  .provider = json_cstr(r->a, row, "provider"),
                  .model = json_cstr(r->a, row, "model"),
                  .kind = json_cstr(r->a, row, "provider_kind"),
                  .usage = members_but(r->a, row, placed, NULL),
                  .used = { .input = number_of(row, "prompt_tokens"),
                            .output = number_of(row, "completion_tokens"),
                            .cost = micros < INT64_MAX / 1000 ? micros * 1000 : 0 },
                  .total_tokens = number_of(row, "total_tokens"),
                  .time = time_column(r, row, "created_at") }
    };
    if (id)
        names_put(r->kept, &h->numbers, id,
                  arena_printf(r->kept, "%lld", (long long)item.u.call.n));
    return give(r, &item, err);
}

static bool has_calls(struct reading *r, struct json blocks)
{
    struct json_iter it = json_iter(blocks);

    while (json_next(&it))
        if (cstr_eq(json_cstr(r->a, it.value, "type"), "tool_use"))
            return true;
    return false;
}

/* Rich blocks are the content. The flat text repeats them, and so may the tool calls (C14): both
 * are kept beside the content. */
static struct json with_blocks(struct reading *r, struct json message, struct json blocks)
{
    bool twice = has_calls(r, blocks);
    const char *const but[] = { "content", "content_blocks", twice ? "tool_calls" : NULL, NULL };
    struct bough_str flat = json_raw(json_member(message, "content")), list = json_raw(blocks),
                     calls = json_raw(json_member(message, "tool_calls"));
    const char *more = arena_printf(r->a, "\"content\":%.*s", (int)list.n, list.p);
    struct json out;

    if (flat.n)
        more = arena_printf(r->a, "%s,\"hecate.content\":%.*s", more, (int)flat.n, flat.p);
    if (twice && calls.n)
        more = arena_printf(r->a, "%s,\"hecate.tool_calls\":%.*s", more, (int)calls.n, calls.p);
    if (json_parse(r->a, members_but(r->a, message, but, more), &out, NULL))
        return message; /* cannot happen: it is built from valid JSON */
    return out;
}

static enum bough_rc take_message(struct reading *r, struct json row, struct bough_error *err)
{
    struct hecate *h = state_of(r);
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    const char *by = json_cstr(r->a, row, "produced_by_call_id"), *number;
    struct bough_str raw = column_json(r, row, "message_json", JSON_OBJECT);
    struct json message, blocks;
    enum bough_rc rc;
    long long n;

    item.u.entry.id = json_cstr(r->a, row, "id");
    if (cstr_empty(item.u.entry.id))
        return give_problem(r, err, "a message without an id was left out");
    item.u.entry.next = true;
    e->time = time_column(r, row, "created_at");
    number = by ? names_get(&h->numbers, by) : NULL;
    if (number && sscanf(number, "%lld", &n) == 1)
        item.u.entry.call = n;
    else if (!cstr_empty(by) && (rc = give_problem(r, err, "no call is called %.60s", by)))
        return rc;
    if (!raw.n || json_parse(r->a, raw, &message, NULL)) {
        e->role = BOUGH_ROLE_OTHER;
        column_parts(r, row, "message_json", e);
        return give_entry(r, &item, err);
    }
    e->role = chat_role(json_cstr(r->a, message, "role"));
    blocks = json_member(message, "content_blocks");
    if (json_type(blocks) == JSON_ARRAY && json_count(blocks))
        message = with_blocks(r, message, blocks);
    e->data = chat_data(r, message, e, format_openai_chat.name);
    return give_entry(r, &item, err);
}

static enum bough_rc hecate_row(struct reading *r, const char *name, struct json row,
                                struct bough_error *err)
{
    if (strcmp(name, "session") == 0)
        return take_session(r, row, err);
    return strcmp(name, "call") == 0 ? take_call(r, row, err) : take_message(r, row, err);
}

/* ---- queries ---- */

static const char *const tables[] = { "$chat_sessions", "$chat_session_messages",
                                      "$chat_session_provider_calls", NULL };

#define ITS "session_id = (SELECT id FROM \"$chat_sessions\" WHERE rowid = ?1)"

static const struct format_query message[] = {
    { .name = "message", .sql = "SELECT * FROM \"$chat_session_messages\" WHERE rowid = ?1" },
    { 0 },
};

static const struct format_query each[] = {
    { .name = "session", .sql = "SELECT * FROM \"$chat_sessions\" WHERE rowid = ?1" },
    { .name = "call",
      .sql =
          "SELECT * FROM \"$chat_session_provider_calls\" WHERE " ITS " ORDER BY created_at, id" },
    { .sql = "SELECT rowid FROM \"$chat_session_messages\" WHERE " ITS " ORDER BY sequence, rowid",
      .each = message },
    { 0 },
};

static const struct format_rows rows = {
    .tables = tables,
    .sessions = "SELECT rowid FROM \"$chat_sessions\" ORDER BY created_at, rowid",
    .each = each,
    .row = hecate_row,
};

static const struct format_place places[] = {
    { IN_DATA, "sh.hecate.app/hecate.db" },
    { IN_CURRENT, ".data/hecate.db" },
    { 0 },
};

const struct format format_hecate = {
    .name = "hecate",
    .number = FORMAT_HECATE,
    .about = "Hecate: the chat sessions in its SQLite file",
    .suffix = "db",
    .tool = "Hecate",
    .places = places,
    .rows = &rows,
};
