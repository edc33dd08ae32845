/* What lists show of messages: previews, titles, and what became of them. Pure. */
#include "core/part/part.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"

/* Decode one character of a valid raw string. Returns how many raw bytes it took. */
static size_t decode_one(const char *p, size_t n, char out[4], size_t *len)
{
    const unsigned char *start = (const unsigned char *)p, *s = start;
    uint32_t cp;
    size_t k;

    if (p[0] == '\\') {
        *len = utf8_put(json_take_escape(&s, s + n), out);
        return (size_t)(s - start);
    }
    k = utf8_get(p, n, &cp);
    k = k ? k : 1;
    memcpy(out, p, k);
    *len = k;
    return k;
}

/* Decode at most `max` bytes: a preview must not decode all of a long message. */
static const char *decode_some(struct bough_arena *a, struct bough_str raw, size_t max)
{
    char *out = arena_alloc(a, max + 1);
    size_t n = 0, i = 1, len;
    char c[4];

    while (i < raw.n - 1) {
        if (raw.p[i] != '\\' && (unsigned char)raw.p[i] < 0x80 && n < max) {
            out[n++] = raw.p[i++]; /* fast path: plain ASCII */
            continue;
        }
        i += decode_one(raw.p + i, raw.n - 1 - i, c, &len);
        if (n + len > max)
            break;
        if (len == 1 && c[0] == '\0')
            c[0] = ' ';
        memcpy(out + n, c, len);
        n += len;
    }
    out[n] = '\0';
    return out;
}

const char *preview_string(struct bough_arena *a, struct bough_str raw, size_t max)
{
    return raw.n > 2 ? decode_some(a, raw, max) : "";
}

const char *preview_text(struct bough_arena *a, const struct bough_part *parts, size_t n,
                         size_t max)
{
    struct bough_str raw;
    struct fields f;
    size_t i;

    for (i = 0; i < n; i++) {
        if (parts[i].type != BOUGH_PART_TEXT || fields_read(&f, parts[i].json, NULL) != BOUGH_OK)
            continue;
        raw = fields_raw(&f, "text", JSON_STRING);
        if (!raw.n)
            raw = fields_raw(&f, "refusal", JSON_STRING);
        if (raw.n > 2)
            return decode_some(a, raw, max);
    }
    return "";
}

const char *preview_title(struct bough_arena *a, const struct bough_part *parts, size_t n)
{
    struct bough_str s;
    const char *title;
    struct buf b;
    size_t i;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    for (i = 0; i < n; i++) {
        if (parts[i].type != BOUGH_PART_TEXT)
            continue;
        s = text_trim(bough_part_plain(a, &parts[i]));
        if (s.n && b.n)
            buf_putc(&b, '\n');
        buf_put_str(&b, s);
    }
    title = text_title(a, buf_str(&b));
    buf_finish(&b);
    return title;
}

/* ---- outcomes ---- */

/* The first member of an object with this name, if it is a string, with its quotes. Reads no
 * further: what is searched for usually stands in front of a long output. */
static struct bough_str string_in(struct bough_str object, const char *name)
{
    struct bough_str none = { "", 0 };
    struct json_event ev;
    struct json_pull p;

    json_pull_init(&p, object);
    if (json_pull_next(&p, &ev, NULL) || ev.type != JSON_BEGIN || ev.value != JSON_OBJECT)
        return none;
    while (!json_pull_next(&p, &ev, NULL) && ev.type == JSON_KEY) {
        bool found = json_span_is(ev.raw, name);

        if (json_pull_next(&p, &ev, NULL))
            break;
        if (found)
            return ev.type == JSON_VALUE && ev.value == JSON_STRING ? ev.raw : none;
        if (ev.type == JSON_BEGIN && json_pull_skip(&p, &ev, NULL, NULL))
            break;
    }
    return none;
}

static bool is_true(struct fields *f, const char *name)
{
    return fields_raw(f, name, JSON_TRUE).n > 0;
}

/* Did the tool of this part fail? In every shape that view.c knows. */
static bool part_failed(struct bough_str json)
{
    struct bough_str state, output, type;
    struct fields f;

    if (fields_read(&f, json, NULL))
        return false;
    if (is_true(&f, "is_error") || is_true(&f, "isError"))
        return true;
    state = fields_raw(&f, "toolInvocation", JSON_OBJECT);
    if (state.n)
        return part_state_parse(string_in(state, "state")) == BOUGH_TOOL_ERROR;
    state = fields_raw(&f, "state", JSON_OBJECT);
    state = state.n ? string_in(state, "status") : fields_raw(&f, "state", JSON_STRING);
    if (part_state_parse(state) == BOUGH_TOOL_ERROR)
        return true;
    output = fields_raw(&f, "output", JSON_OBJECT);
    type = output.n ? string_in(output, "type") : output;
    return str_starts(type, "\"error");
}

/* pi keeps the result of a tool beside the message. */
static bool data_failed(const struct bough_entry *e)
{
    struct fields f;

    return e->role == BOUGH_ROLE_TOOL && e->data.n && !fields_read(&f, e->data, NULL) &&
           is_true(&f, "isError");
}

bool message_stopped(const struct bough_entry *e)
{
    static const char *const words[] = { "interrupted", "aborted", "cancelled", "canceled", NULL };
    struct bough_str name = e->error.n ? string_in(e->error, "name") : e->error;

    return str_among(str_of(e->finish), words) ||
           (name.n &&
            (json_span_is(name, "MessageAbortedError") || json_span_is(name, "AbortError")));
}

bool message_failed(const struct bough_entry *e)
{
    return (e->error.n || cstr_eq(e->finish, "error")) && !message_stopped(e);
}

enum bough_outcome message_outcome(const struct bough_entry *e, int64_t *errors)
{
    bool stopped = message_stopped(e), failed = message_failed(e);
    int64_t tools = 0;

    for (size_t i = 0; i < e->nparts; i++)
        tools += e->parts[i].type == BOUGH_PART_TOOL && part_failed(e->parts[i].json);
    if (!tools)
        tools = data_failed(e);
    *errors = tools + failed;
    if (stopped)
        return BOUGH_OUTCOME_INTERRUPTED;
    return failed || (tools && e->role == BOUGH_ROLE_TOOL) ? BOUGH_OUTCOME_ERROR : BOUGH_OUTCOME_OK;
}
