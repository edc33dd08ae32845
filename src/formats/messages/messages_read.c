/* Lists of messages, reader. Most messages have no id: the importer recognizes them by content. */
#include "formats/messages/messages.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/doc/doc.h"

/* ---- detection ---- */

static bool is_list(struct bough_str *first)
{
    struct bough_str text = without_bom(*first);

    while (text.n && strchr(" \t\r\n", *text.p))
        text = str_make(text.p + 1, text.n - 1);
    *first = text;
    return text_has(text, "\"role\"") &&
           (str_starts(text, "[") || (str_starts(text, "{") && text_has(text, "\"messages\"")));
}

/* Items: of a request ("input"), or as the Agents SDK keeps them, in its words or in the API's. */
bool responses_detect(struct bough_str first)
{
    static const char *const words[] = {
        "\"function_call\"",    "\"function_call_output\"", "\"function_call_result\"",
        "\"input_text\"",       "\"output_text\"",          "\"encrypted_content\"",
        "\"type\":\"message\"", "\"type\": \"message\"",    NULL
    };
    struct bough_str text = without_bom(first);

    while (text.n && strchr(" \t\r\n", *text.p))
        text = str_make(text.p + 1, text.n - 1);
    if (!str_starts(text, "[") &&
        !(str_starts(text, "{") && text_has(text, "\"input\"") && !text_has(text, "\"payload\"")))
        return false;
    if (text_has(text, "\"messages\"") || text_has(text, "\"tool_calls\"") ||
        text_has(text, "\"parts\"") || text_has(text, "\"stop_reason\""))
        return false;
    for (size_t i = 0; words[i]; i++)
        if (text_has(text, words[i]))
            return true;
    return false;
}

bool ui_detect(struct bough_str first)
{
    return is_list(&first) && text_has(first, "\"parts\"") && !text_has(first, "\"info\"");
}

bool anthropic_detect(struct bough_str first)
{
    static const char *const words[] = { "\"tool_use\"",  "\"tool_result\"",   "\"thinking\"",
                                         "\"source\"",    "\"cache_control\"", "\"stop_reason\"",
                                         "\"system\": [", "\"system\":[",      NULL };

    if (!is_list(&first) || !text_has(first, "\"content\"") || text_has(first, "\"tool_calls\""))
        return false;
    for (size_t i = 0; words[i]; i++)
        if (text_has(first, words[i]))
            return true;
    return false;
}

bool chat_detect(struct bough_str first)
{
    return is_list(&first) && (text_has(first, "\"content\"") || text_has(first, "\"tool_calls\""));
}

/* ---- one message ---- */

enum bough_role chat_role(const char *word)
{
    return cstr_eq(word, "developer") ? BOUGH_ROLE_SYSTEM : bough_role_parse(word);
}

/* A message with tool results only is a tool's message (Anthropic sends it as user). */
static bool all_results(struct reading *r, const struct bough_entry_new *e)
{
    for (size_t i = 0; i < e->nparts; i++) {
        struct json part;

        if (json_parse(r->a, e->parts[i], &part, NULL) ||
            !cstr_eq(json_cstr(r->a, part, "type"), "tool_result"))
            return false;
    }
    return e->nparts > 0;
}

struct bough_str chat_data(struct reading *r, struct json j, struct bough_entry_new *e,
                           const char *format)
{
    static const char *const calls_key[] = { "tool_calls", NULL };
    struct json calls = json_member(j, "tool_calls"), again;
    uint32_t n = json_type(calls) == JSON_ARRAY ? json_count(calls) : 0;
    const char *more = arena_printf(r->a, "\"" MESSAGES_OF "\":\"%s\"", format);
    struct json_iter it = json_iter(calls);
    struct bough_str *parts, data;

    if (!n)
        return message_data(r, j, e, more);
    more = arena_printf(r->a, "%s,\"" MESSAGES_CALLS "\":%u", more, (unsigned)n);
    if (json_parse(r->a, members_but(r->a, j, calls_key, NULL), &again, NULL))
        again = (struct json){ 0 }; /* it had no other member */
    data = message_data(r, again, e, more);
    parts = arena_array(r->a, e->nparts + n, sizeof *parts);
    for (size_t i = 0; i < e->nparts; i++)
        parts[i] = e->parts[i];
    while (json_next(&it))
        parts[e->nparts++] = json_raw(it.value);
    e->parts = parts;
    return data;
}

static struct bough_str ui_data(struct reading *r, struct json j, struct bough_entry_new *e,
                                const char *format)
{
    static const char *const but[] = { "id", "parts", NULL };
    struct json parts = json_member(j, "parts");
    struct json_iter it = json_iter(parts);
    struct bough_str *spans = arena_array(r->a, json_count(parts) + 1, sizeof *spans);

    while (json_type(parts) == JSON_ARRAY && json_next(&it))
        spans[e->nparts++] = json_raw(it.value);
    e->parts = spans;
    return members_but(
        r->a, j, but,
        arena_printf(r->a, "\"" MESSAGES_OF "\":\"%s\",\"" CONTEXT_CONTENT_KEY "\":\"none\"",
                     format));
}

/* An item of responses. One that is not a message becomes the entry's only part. */
static struct bough_str item_data(struct reading *r, struct json j, struct bough_entry_new *e)
{
    const char *type = json_cstr(r->a, j, "type");
    struct bough_str *part;

    if (cstr_empty(type) || cstr_eq(type, "message"))
        return message_data(r, j, e, "\"" MESSAGES_OF "\":\"openai-responses\"");
    part = arena_alloc(r->a, sizeof *part);
    *part = json_raw(j);
    e->parts = part;
    e->nparts = 1;
    e->role = str_ends(str_of(type), "_output") || str_ends(str_of(type), "_result")
                  ? BOUGH_ROLE_TOOL
                  : BOUGH_ROLE_ASSISTANT;
    return str_of("{\"" MESSAGES_OF "\":\"openai-responses\",\"" MESSAGES_ITEM "\":true}");
}

static enum bough_rc give_message(struct reading *r, struct bough_str raw, struct bough_error *err)
{
    const char *format = r->format->name;
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    struct json j;
    enum bough_rc rc;

    if (!doc_object(r, raw, &j, &rc, err))
        return rc;
    item.u.entry.next = true;
    e->role = chat_role(json_cstr(r->a, j, "role"));
    if (r->format->detect == ui_detect) {
        item.u.entry.id = json_cstr(r->a, j, "id");
        e->data = ui_data(r, j, e, format);
    } else if (r->format->detect == responses_detect) {
        e->data = item_data(r, j, e);
    } else {
        e->data = chat_data(r, j, e, format);
        e->finish = json_cstr(r->a, j, "stop_reason");
    }
    if (e->role == BOUGH_ROLE_USER && all_results(r, e))
        e->role = BOUGH_ROLE_TOOL;
    return give_entry(r, &item, err);
}

/* ---- the list ---- */

static enum bough_rc give_session(struct reading *r, struct bough_str rest, struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    struct json j = { 0 };

    if (rest.n && json_parse(r->a, rest, &j, NULL) == BOUGH_OK) {
        s->id = json_cstr(r->a, j, "id");
        s->title = json_cstr(r->a, j, "title");
        s->model_name = json_cstr(r->a, j, "model");
        s->system_prompt = json_cstr(r->a, j, "system");
        if (!s->system_prompt)
            s->system_prompt = json_cstr(r->a, j, "instructions");
        s->data = str_of(arena_printf(r->a, "{\"" MESSAGES_REST "\":%.*s}", (int)rest.n, rest.p));
    }
    return give(r, &item, err);
}

static enum bough_rc take_element(void *user, struct bough_str raw, struct bough_error *err)
{
    struct reading *r = user;
    enum bough_rc rc = give_message(r, raw, err);

    bough_arena_reset(r->a);
    return rc;
}

enum bough_rc messages_document(struct reading *r, struct bough_error *err)
{
    const char *list = r->format->detect == responses_detect ? "input" : "messages";
    struct doc_about about = { 0 };
    enum bough_rc rc = doc_survey(r, list, &about, err);

    if (rc)
        return rc;
    if (!about.listed)
        return bough_fail(err, BOUGH_INVALID, "there is no list of messages in it: %s", about.why);
    rc = give_session(r, about.rest, err);
    return rc ? rc : doc_each(r, list, take_element, r, err);
}
