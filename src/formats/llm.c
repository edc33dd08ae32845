/* The SQLite file of `llm`, reader: conversations, each a sequence of responses with their prompts.
 */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/price/price.h"
#include "formats/common/made.h"
#include "formats/common/rows.h"

/* What the rows before a response say about it. The lists are in `kept`: they outlive the row. */
struct llm {
    struct reading keep;              /* a reading whose arena is `kept`, for the lists */
    struct made results, said, calls; /* of the tools; of the user; of the model */
};

static struct llm *state_of(struct reading *r)
{
    struct llm *l = r->state;

    if (l)
        return l;
    r->state = l = arena_zalloc(r->kept, sizeof *l);
    l->keep = *r;
    l->keep.a = r->kept;
    l->results.r = l->said.r = l->calls.r = &l->keep;
    return l;
}

static void forget(struct llm *l)
{
    l->results.n = l->said.n = l->calls.n = 0;
}

static enum bough_rc take_session(struct reading *r, struct json row, struct bough_error *err)
{
    static const char *const placed[] = { "id", "name", "model", "system", "created", NULL };
    struct item item = { .kind = ITEM_SESSION };

    item.u.session = (struct item_session){ .id = json_cstr(r->a, row, "id"),
                                            .title = json_cstr(r->a, row, "name"),
                                            .model_name = json_cstr(r->a, row, "model"),
                                            .system_prompt = json_cstr(r->a, row, "system"),
                                            .provider_path = "llm",
                                            .created = iso_parse(json_cstr(r->a, row, "created")),
                                            .data = row_rest(r, row, placed, "llm.row") };
    if (cstr_empty(item.u.session.id))
        return give_problem(r, err, "a conversation without an id was left out");
    return give(r, &item, err);
}

/* ---- before the response ---- */

static void take_result(struct reading *r, struct llm *l, struct json row)
{
    const char *failed = json_cstr(r->a, row, "exception");
    struct json out = json_member(row, "output");

    made_result(&l->results, json_cstr(r->a, row, "tool_call_id"),
                json_type(out) == JSON_STRING ? json_raw(out) : str_of("\"\""),
                !cstr_empty(failed));
}

/* An attachment is bytes, which come as hexadecimal digits, a URL or a path. */
static void take_attachment(struct reading *r, struct llm *l, struct json row)
{
    const char *hex = json_cstr(r->a, row, "bytes"), *mime = json_cstr(r->a, row, "type"),
               *url = json_cstr(r->a, row, "url"), *path = json_cstr(r->a, row, "path");
    size_t n = hex ? strlen(hex) / 2 : 0, length = base64_length(n);
    unsigned char *bytes = arena_alloc(r->a, n + 1);
    char *text = arena_alloc(r->a, length + 3);

    for (size_t i = 0; i < n; i++) {
        static const char digits[] = "0123456789ABCDEF";
        const char *high = strchr(digits, hex[2 * i]), *low = strchr(digits, hex[2 * i + 1]);

        bytes[i] = (unsigned char)((high ? high - digits : 0) << 4 | (low ? low - digits : 0));
    }
    if (!n) {
        made_words(&l->said, "text",
                   arena_printf(r->a, "[%s %s]", mime ? mime : "file",
                                url    ? url
                                : path ? path
                                       : "without content"));
        return;
    }
    text[0] = '"';
    base64_encode(bytes, n, text + 1);
    text[length + 1] = '"';
    made_file(&l->said, mime, str_make(text, length + 2));
}

static void take_call(struct reading *r, struct llm *l, struct json row)
{
    made_call(&l->calls, json_cstr(r->a, row, "tool_call_id"), json_cstr(r->a, row, "name"),
              column_json(r, row, "arguments", JSON_OBJECT));
}

/* ---- the response ---- */

static enum bough_rc give_message(struct reading *r, const char *id, enum bough_role role,
                                  const struct made *m, int64_t time, struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };

    if (!m->n)
        return BOUGH_OK;
    item.u.entry.id = id;
    item.u.entry.next = true;
    item.u.entry.entry = (struct bough_entry_new){
        .kind = BOUGH_ENTRY_MESSAGE, .role = role, .parts = m->at, .nparts = m->n, .time = time
    };
    return give_entry(r, &item, err);
}

static void take_usage(struct reading *r, struct json row, struct bough_entry_new *e)
{
    const char *resolved = json_cstr(r->a, row, "resolved_model");
    struct bough_totals used = { .input = number_of(row, "input_tokens"),
                                 .output = number_of(row, "output_tokens") };
    struct usage u = usage_of_totals(&used);
    struct answered who = { .model =
                                cstr_empty(resolved) ? json_cstr(r->a, row, "model") : resolved,
                            .time = e->time };

    e->call_model = who.model;
    if (!used.input && !used.output)
        return;
    e->call_cost_source = price_usage(r, &who, &u, &used);
    e->usage = totals_keep(r->a, &used);
}

static enum bough_rc give_reply(struct reading *r, struct llm *l, struct json row, const char *id,
                                struct bough_error *err)
{
    static const char *const placed[] = { "id",           "prompt",        "response",
                                          "duration_ms",  "datetime_utc",  "conversation_id",
                                          "input_tokens", "output_tokens", NULL };
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    struct made m = { .r = r };
    struct json text = json_member(row, "response");

    if (json_type(text) == JSON_STRING && !str_is(json_raw(text), "\"\""))
        made_text(&m, "text", json_raw(text));
    for (size_t i = 0; i < l->calls.n; i++)
        made_part(&m, l->calls.at[i]);
    item.u.entry.id = id;
    item.u.entry.next = true;
    e->kind = BOUGH_ENTRY_MESSAGE;
    e->role = BOUGH_ROLE_ASSISTANT;
    e->parts = m.at;
    e->nparts = m.n;
    e->time = iso_parse(json_cstr(r->a, row, "datetime_utc"));
    e->duration = number_of(row, "duration_ms");
    e->data = row_rest(r, row, placed, "llm.row");
    take_usage(r, row, e);
    return give_entry(r, &item, err);
}

static enum bough_rc take_response(struct reading *r, struct llm *l, struct json row,
                                   struct bough_error *err)
{
    const char *id = json_cstr(r->a, row, "id");
    int64_t time = iso_parse(json_cstr(r->a, row, "datetime_utc"));
    struct json prompt = json_member(row, "prompt");
    enum bough_rc rc;

    if (cstr_empty(id))
        return give_problem(r, err, "a response without an id was left out");
    if (json_type(prompt) == JSON_STRING && !str_is(json_raw(prompt), "\"\""))
        made_text(&l->said, "text", json_raw(prompt));
    rc = give_message(r, arena_printf(r->a, "%s/results", id), BOUGH_ROLE_TOOL, &l->results, time,
                      err);
    if (!rc)
        rc = give_message(r, arena_printf(r->a, "%s/prompt", id), BOUGH_ROLE_USER, &l->said, time,
                          err);
    if (!rc)
        rc = give_reply(r, l, row, id, err);
    forget(l);
    return rc;
}

static enum bough_rc llm_row(struct reading *r, const char *name, struct json row,
                             struct bough_error *err)
{
    struct llm *l = state_of(r);

    if (strcmp(name, "session") == 0)
        return take_session(r, row, err);
    if (strcmp(name, "response") == 0)
        return take_response(r, l, row, err);
    if (strcmp(name, "result") == 0)
        take_result(r, l, row);
    else if (strcmp(name, "fragment") == 0)
        made_words(&l->said, "text", json_cstr(r->a, row, "content"));
    else if (strcmp(name, "attachment") == 0)
        take_attachment(r, l, row);
    else
        take_call(r, l, row);
    return BOUGH_OK;
}

/* ---- queries ---- */

static const char *const tables[] = { "conversations", "responses", "_llm_migrations", NULL };

#define ITS "response_id = (SELECT id FROM responses WHERE rowid = ?1)"

static const struct format_query response[] = {
    { .name = "result",
      .table = "tool_results",
      .sql = "SELECT * FROM tool_results WHERE " ITS " ORDER BY id" },
    { .name = "fragment",
      .table = "prompt_fragments",
      .sql = "SELECT f.content FROM prompt_fragments p JOIN fragments f ON f.id = p.fragment_id"
             " WHERE p." ITS " ORDER BY p.\"order\"" },
    { .name = "attachment",
      .table = "prompt_attachments",
      .sql = "SELECT a.type, a.path, a.url, hex(a.content) AS bytes FROM prompt_attachments p"
             " JOIN attachments a ON a.id = p.attachment_id WHERE p." ITS " ORDER BY p.\"order\"" },
    { .name = "call",
      .table = "tool_calls",
      .sql = "SELECT * FROM tool_calls WHERE " ITS " ORDER BY id" },
    { .name = "response", .sql = "SELECT * FROM responses WHERE rowid = ?1" },
    { 0 },
};

#define OF "conversation_id = c.id ORDER BY datetime_utc, rowid LIMIT 1)"

static const struct format_query each[] = {
    { .name = "session",
      .sql = "SELECT c.*, (SELECT datetime_utc FROM responses WHERE " OF " AS created,"
             " (SELECT system FROM responses WHERE system <> '' AND " OF " AS system"
             " FROM conversations c WHERE c.rowid = ?1" },
    { .sql = "SELECT rowid FROM responses WHERE conversation_id = (SELECT id FROM conversations"
             " WHERE rowid = ?1) ORDER BY datetime_utc, rowid",
      .each = response },
    { 0 },
};

static const struct format_rows rows = {
    .tables = tables,
    .sessions = "SELECT rowid FROM conversations ORDER BY rowid",
    .each = each,
    .row = llm_row,
};

static const struct format_place places[] = {
    { IN_HOME, ".config/io.datasette.llm/logs.db" },
    { 0 },
};

const struct format format_llm = {
    .name = "llm",
    .number = FORMAT_LLM,
    .about = "llm: the conversations in its SQLite file",
    .suffix = "db",
    .tool = "llm",
    .places = places,
    .rows = &rows,
};
