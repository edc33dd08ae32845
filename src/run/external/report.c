/* What an agent reports: updates, usage, and what is kept of the protocol. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "run/external/inside.h"

enum { TODOS_MOST = 1000, PREVIEW = 2000, PART_MOST = 64 << 20 };

/* ---- updates ---- */

/* A part of another kind, with everything that came. */
static void put_other(struct ext *x, const struct acp_update *u)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, PART_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", arena_printf(x->scratch, "acp-%.80s", u->name));
    jw_kv_raw(&w, "update", u->raw);
    jw_end_obj(&w);
    if (!b.over)
        ext_part(x, buf_str(&b));
    buf_finish(&b);
}

/* An image becomes a file; text and reasoning grow; other blocks are kept as they are. */
static void take_chunk(struct ext *x, const struct acp_update *u)
{
    struct json type = json_member(u->content, "type");
    struct bough_str text = { "", 0 };
    const char *mime, *data;
    struct json_writer w;
    struct buf b;

    if (json_is(type, "text")) { /* nearly always */
        (void)json_str(x->scratch, json_member(u->content, "text"), &text);
        ext_text(x, u->kind == ACP_THOUGHT_CHUNK ? BOUGH_PART_REASONING : BOUGH_PART_TEXT,
                 u->message_id, text);
        return;
    }
    mime = json_cstr(x->scratch, u->content, "mimeType");
    data = json_cstr(x->scratch, u->content, "data");
    if (!mime || !data || !json_is(type, "image")) {
        put_other(x, u);
        return;
    }
    buf_init(&b, PART_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "file");
    jw_kv_cstr(&w, "mime", mime);
    jw_kv_cstr(&w, "url", arena_printf(x->scratch, "data:%s;base64,%s", mime, data));
    jw_end_obj(&w);
    if (!b.over)
        ext_part(x, buf_str(&b));
    buf_finish(&b);
}

static const char *todo_status(const char *status)
{
    static const char *const known[] = { "pending", "in_progress", "completed", "cancelled", NULL };

    return status && str_among(str_of(status), known) ? status : "pending";
}

static void take_plan(struct ext *x, struct json entries)
{
    struct bough_todo *items = arena_array(x->scratch, TODOS_MOST, sizeof *items);
    struct json_iter it = json_iter(entries);
    struct bough_error err;
    size_t n = 0;

    while (n < TODOS_MOST && json_next(&it)) {
        const char *content = json_cstr(x->scratch, it.value, "content");
        const char *priority = json_cstr(x->scratch, it.value, "priority");

        if (cstr_empty(content))
            continue;
        items[n].content = content;
        items[n].status = todo_status(json_cstr(x->scratch, it.value, "status"));
        items[n++].priority = priority ? priority : "";
    }
    if (bough_todo_replace(x->w->store, x->scratch, x->w->run->session, items, n, NULL, &err))
        work_tell(x->w, "plan", "failed", "The plan was not stored", err.msg);
}

/* The agent's title, when the session has none. */
static void take_title(struct ext *x, const char *title)
{
    struct bough_session *s;

    if (!cstr_empty(title) &&
        !bough_session_get(x->w->store, x->scratch, x->w->run->session, &s, NULL) && !*s->title)
        ext_warn(x, bough_session_rename(x->w->store, x->w->run->session, title, NULL),
                 "the title was not set");
}

static void take_usage(struct ext *x, const struct acp_update *u)
{
    if (u->used >= 0)
        x->used = u->used;
    if (u->size >= 0)
        x->size = u->size;
    if (u->cost >= 0 && (!u->currency || strcmp(u->currency, "USD") == 0))
        x->cost = u->cost;
}

void ext_update(struct ext *x, const struct acp_update *u)
{
    switch (u->kind) {
    case ACP_USER_CHUNK: /* the prompt, echoed */
        return;
    case ACP_MESSAGE_CHUNK:
    case ACP_THOUGHT_CHUNK:
        take_chunk(x, u);
        return;
    case ACP_TOOL:
        ext_tool_take(x, &u->tool, strcmp(u->name, "tool_call") == 0);
        return;
    case ACP_PLAN:
        take_plan(x, u->entries);
        return;
    case ACP_COMMANDS:
    case ACP_MODE:
    case ACP_CONFIG:
        x->options_changed = true;
        return;
    case ACP_INFO:
        take_title(x, u->title);
        return;
    case ACP_USAGE:
        take_usage(x, u);
        return;
    case ACP_OTHER:
        put_other(x, u);
        return;
    }
}

/* ---- usage ---- */

static int64_t tokens(struct json usage, const char *name, const char *other)
{
    int64_t n = 0;

    if (!json_i64(json_member(usage, name), &n))
        (void)json_i64(json_member(usage, other), &n);
    return n < 0 ? 0 : n;
}

/* The figures of the answer: most agents have `usage`, gemini has them in _meta. */
static struct json usage_of(struct json result)
{
    struct json usage = json_member(result, "usage");

    if (usage.doc)
        return usage;
    return json_member(json_member(json_member(result, "_meta"), "quota"), "token_count");
}

/* What this turn added to the cumulative figure. */
static int64_t cost_grown(struct ext *x)
{
    double before = ext_cost_before(x), grown = x->cost;
    int64_t nano = 0;

    if (before >= 0 && x->cost >= before)
        grown = x->cost - before;
    if (bough_money_from_usd(grown, &nano, NULL))
        nano = 0;
    return nano;
}

const struct bough_call_new *ext_call(struct ext *x, struct json result)
{
    struct bough_call_new *call = arena_zalloc(x->w->a, sizeof *call);
    struct json u = usage_of(result);

    if (!u.doc && x->cost < 0)
        return NULL;
    call->provider = x->ad->name;
    call->model = arena_strdup(x->w->a, acp_model(x->acp, x->scratch));
    call->used.input = tokens(u, "inputTokens", "input_tokens");
    call->used.output = tokens(u, "outputTokens", "output_tokens");
    call->used.reasoning = tokens(u, "thoughtTokens", "reasoningOutputTokens");
    call->used.cache_read = tokens(u, "cachedReadTokens", "cachedInputTokens");
    call->used.cache_write = tokens(u, "cachedWriteTokens", "cached_write_tokens");
    call->total_tokens = tokens(u, "totalTokens", "total_tokens");
    call->cost_source = BOUGH_COST_UNKNOWN;
    if (x->cost >= 0) {
        call->used.cost = cost_grown(x);
        call->cost_source = BOUGH_COST_REPORTED;
    }
    return call;
}

/* ---- what is kept ---- */

static long read_text(void *user, void *to, size_t n)
{
    struct bough_str *left = user;

    if (n > left->n)
        n = left->n;
    memcpy(to, left->p, n);
    *left = str_make(left->p + n, left->n - n);
    return (long)n;
}

void ext_keep(struct ext *x, const char *kind, const char *name, struct bough_str text)
{
    struct bough_attachment stored;
    struct bough_str left = text;
    size_t shown = utf8_valid(text.p, text.n < PREVIEW ? text.n : PREVIEW);
    struct json_writer w;
    struct buf b;

    if (!text.n || bough_attachment_store(x->w->store, read_text, &left, &stored, NULL))
        return;
    buf_init(&b, 64 << 10);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "file");
    jw_kv_cstr(&w, "mime", "text/plain");
    jw_kv_cstr(&w, "filename", name);
    jw_kv_cstr(&w, "url", stored.url);
    jw_key(&w, "data");
    jw_obj(&w);
    jw_kv_cstr(&w, "artifact", kind);
    jw_kv_i64(&w, "size", (int64_t)text.n);
    jw_kv_str(&w, "preview", str_make(text.p, shown));
    jw_end_obj(&w);
    jw_end_obj(&w);
    ext_part(x, buf_str(&b));
    buf_finish(&b);
}

void ext_artifacts(struct ext *x)
{
    ext_keep(x, "protocol", "protocol.txt", acp_raw(x->acp, x->scratch));
    ext_keep(x, "stderr", "stderr.txt", acp_stderr(x->acp, x->scratch));
}
