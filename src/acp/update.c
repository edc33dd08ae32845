/* Updates and permission requests of an agent, read from JSON. */
#include "acp/update.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

enum { TEXT_MOST = 64 << 20 };

static const struct {
    const char *name;
    enum acp_update_kind kind;
} kinds[] = {
    { "user_message_chunk", ACP_USER_CHUNK },
    { "agent_message_chunk", ACP_MESSAGE_CHUNK },
    { "agent_thought_chunk", ACP_THOUGHT_CHUNK },
    { "tool_call", ACP_TOOL },
    { "tool_call_update", ACP_TOOL },
    { "plan", ACP_PLAN },
    { "available_commands_update", ACP_COMMANDS },
    { "current_mode_update", ACP_MODE },
    { "config_option_update", ACP_CONFIG },
    { "session_info_update", ACP_INFO },
    { "usage_update", ACP_USAGE },
};

static enum acp_update_kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    return ACP_OTHER;
}

/* A member of this type, or nothing. */
static struct json typed(struct json j, const char *key, enum json_type type)
{
    struct json m = json_member(j, key);

    return m.doc && json_type(m) == type ? m : (struct json){ 0 };
}

static int64_t count_of(struct json j, const char *key)
{
    double v;

    if (!json_f64(json_member(j, key), &v) || v < 0 || v > 1e15)
        return -1;
    return (int64_t)v;
}

/* codex 2.6 sends the output of its terminals like this, unasked. */
static struct bough_str terminal_of(struct bough_arena *a, struct json meta)
{
    struct json delta = json_member(meta, "terminal_output_delta");
    struct bough_str text = { "", 0 };

    if (!json_str(a, delta, &text))
        (void)json_str(a, json_member(delta, "data"), &text);
    return text;
}

bool acp_tool_read(struct bough_arena *a, struct json call, struct acp_tool *out)
{
    *out = (struct acp_tool){
        .id = json_cstr(a, call, "toolCallId"),
        .title = json_cstr(a, call, "title"),
        .kind = json_cstr(a, call, "kind"),
        .status = json_cstr(a, call, "status"),
        .name = json_cstr(a, call, "name"),
        .input = json_member(call, "rawInput"),
        .output = json_member(call, "rawOutput"),
        .content = typed(call, "content", JSON_ARRAY),
        .locations = typed(call, "locations", JSON_ARRAY),
        .terminal = terminal_of(a, json_member(call, "_meta")),
    };
    return !cstr_empty(out->id);
}

static void read_usage(struct bough_arena *a, struct json u, struct acp_update *out)
{
    struct json cost = json_member(u, "cost");
    double amount;

    out->used = count_of(u, "used");
    out->size = count_of(u, "size");
    if (json_f64(json_member(cost, "amount"), &amount) && amount >= 0 && amount < 1e9)
        out->cost = amount;
    out->currency = json_cstr(a, cost, "currency");
}

bool acp_update_read(struct bough_arena *a, struct json u, struct acp_update *out)
{
    const char *name = json_cstr(a, u, "sessionUpdate");

    *out = (struct acp_update){ .name = name, .used = -1, .size = -1, .cost = -1 };
    if (cstr_empty(name))
        return false;
    out->kind = kind_of(name);
    out->raw = json_raw(u);
    switch (out->kind) {
    case ACP_USER_CHUNK:
    case ACP_MESSAGE_CHUNK:
    case ACP_THOUGHT_CHUNK:
        out->message_id = json_cstr(a, u, "messageId");
        out->content = typed(u, "content", JSON_OBJECT);
        break;
    case ACP_TOOL:
        return acp_tool_read(a, u, &out->tool);
    case ACP_PLAN:
        out->entries = typed(u, "entries", JSON_ARRAY);
        break;
    case ACP_COMMANDS:
        out->commands = typed(u, "availableCommands", JSON_ARRAY);
        break;
    case ACP_MODE:
        out->mode = json_cstr(a, u, "currentModeId");
        break;
    case ACP_CONFIG:
        out->config = typed(u, "configOptions", JSON_ARRAY);
        break;
    case ACP_INFO:
        out->title = json_cstr(a, u, "title");
        break;
    case ACP_USAGE:
        read_usage(a, u, out);
        break;
    case ACP_OTHER:
        break;
    }
    return true;
}

/* ---- permissions ---- */

static const char *word(struct bough_arena *a, struct json j, const char *key)
{
    const char *s = json_cstr(a, j, key);

    return s ? s : "";
}

bool acp_permission_read(struct bough_arena *a, struct json params, struct acp_permission *out)
{
    struct json options = typed(params, "options", JSON_ARRAY);
    struct json_iter it = json_iter(options);

    *out = (struct acp_permission){ .raw_options = str_of("[]") };
    out->session = json_cstr(a, params, "sessionId");
    if (options.doc)
        out->raw_options = json_raw(options);
    while (out->n < ACP_OPTIONS_MOST && json_next(&it)) {
        struct acp_option o = { json_cstr(a, it.value, "optionId"), word(a, it.value, "kind"),
                                word(a, it.value, "name") };

        if (o.id)
            out->options[out->n++] = o;
    }
    return acp_tool_read(a, json_member(params, "toolCall"), &out->tool);
}

const struct acp_option *acp_option_of(const struct acp_permission *p, const char *kind)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->options[i].kind, kind) == 0)
            return &p->options[i];
    return NULL;
}

/* ---- text ---- */

struct bough_str acp_block_text(struct bough_arena *a, struct json block)
{
    const char *type = word(a, block, "type"), *about;
    struct bough_str text = { "", 0 };

    if (strcmp(type, "text") == 0) {
        (void)json_str(a, json_member(block, "text"), &text);
        return text;
    }
    if (strcmp(type, "resource") == 0 &&
        json_str(a, json_member(json_member(block, "resource"), "text"), &text))
        return text;
    about = json_cstr(a, block, "uri");
    if (!about)
        about = word(a, block, "mimeType");
    return *type ? str_of(arena_printf(a, "[%s %s]", type, about)) : text;
}

static void put_content(struct bough_arena *a, struct buf *out, struct json item)
{
    struct json inner = json_member(item, "content");

    if (out->n)
        buf_putc(out, '\n');
    if (json_is(json_member(item, "type"), "diff"))
        buf_printf(out, "[diff %s]", word(a, item, "path"));
    else
        buf_put_str(out, acp_block_text(a, inner.doc ? inner : item));
}

struct bough_str acp_tool_text(struct bough_arena *a, struct json content, struct json output)
{
    struct json_iter it = json_iter(content);
    struct bough_str text;
    struct buf b;

    buf_init(&b, TEXT_MOST);
    while (json_next(&it))
        if (!json_is(json_member(it.value, "type"), "terminal"))
            put_content(a, &b, it.value);
    if (b.n == 0 && output.doc && json_type(output) != JSON_NULL)
        buf_put_str(&b, json_str(a, output, &text) ? text : json_raw(output));
    return buf_give(&b, a);
}
