/* What parts and entries say about activities. Pure. */
#include "core/activity/inside.h"

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/utf8.h"
#include "core/model/text.h"
#include "core/part/part.h"
#include "core/part/spans.h"

const char *fact_text(struct bough_arena *a, struct bough_str raw)
{
    return preview_string(a, raw, raw.n < ACTIVITY_TEXT ? raw.n : ACTIVITY_TEXT);
}

const char *fact_value(struct bough_arena *a, struct bough_str output)
{
    const char *text = "";
    struct buf b;

    if (!output.n || *output.p == '"')
        return fact_text(a, output);
    buf_init(&b, 2 * output.n + 2);
    buf_putc(&b, '"');
    if (span_block_texts(&b, output)) {
        buf_putc(&b, '"');
        text = fact_text(a, buf_str(&b));
    } else {
        text = arena_strndup(a, output.p, utf8_cut(output.p, output.n, ACTIVITY_TEXT));
    }
    buf_finish(&b);
    return text;
}

const char *fact_cut(struct bough_arena *a, const char *text)
{
    struct bough_str s = str_of(text);

    if (s.n <= ACTIVITY_TEXT)
        return s.p;
    s = text_clean(a, s);
    return arena_strndup(a, s.p, utf8_cut(s.p, s.n, ACTIVITY_TEXT));
}

const char *fact_part_id(struct bough_arena *a, const char *entry, size_t part)
{
    size_t n = strlen(entry);
    char *id = arena_alloc(a, n + 6);

    memcpy(id, entry, n);
    id[n] = '.';
    for (size_t i = 4; i > 0; i--, part >>= 4)
        id[n + i] = "0123456789abcdef"[part & 15];
    id[n + 5] = '\0';
    return id;
}

int64_t fact_time(int64_t ms)
{
    static const int64_t last = INT64_C(253402300799999); /* of the year 9999 */

    return ms > 0 && ms <= last ? ms : 0;
}

static int64_t number(struct fields *f, const char *key)
{
    struct bough_str raw = fields_raw(f, key, JSON_NUMBER);
    int64_t v = 0;

    return raw.n && json_span_i64(raw, &v) ? fact_time(v) : 0;
}

static bool inner(struct fields *f, const char *key, struct fields *in)
{
    struct bough_str raw = fields_raw(f, key, JSON_OBJECT);

    return raw.n && fields_scan(in, raw);
}

/* The first string among the members of an input that say what a call is about. */
static const char *subject(struct bough_arena *a, struct bough_str input)
{
    static const char *const members[] = { "command", "cmd", "path",  "file_path", "filePath",
                                           "url",     "uri", "query", "pattern",   NULL };
    struct fields f;

    if (!input.n || *input.p != '{' || !fields_scan(&f, input))
        return "";
    for (size_t i = 0; members[i]; i++) {
        struct bough_str raw = fields_raw(&f, members[i], JSON_STRING);

        if (raw.n > 2)
            return fact_text(a, raw);
    }
    return "";
}

/* Arguments in a string, as a model wrote them: empty unless they are JSON. */
static struct bough_str unquoted(struct bough_arena *a, struct bough_str string)
{
    struct bough_str text = json_span_text(a, string);

    return json_check(text, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK ? text : str_of("");
}

/* Title and times of a canonical tool part. */
static const char *canonical(struct bough_arena *a, struct bough_str json, struct tool_facts *out)
{
    struct fields part, state, time;

    if (!fields_scan(&part, json) || !inner(&part, "state", &state))
        return "";
    if (inner(&state, "time", &time)) {
        out->start = number(&time, "start");
        out->end = number(&time, "end");
    }
    return fact_text(a, fields_raw(&state, "title", JSON_STRING));
}

static enum activity_status status_of(const struct part_spans *s)
{
    if (s->kind == VIEW_RESULT)
        return s->failed ? ACTIVITY_IS_FAILED : ACTIVITY_IS_COMPLETED;
    switch (s->state) {
    case BOUGH_TOOL_RUNNING:
        return ACTIVITY_IS_RUNNING;
    case BOUGH_TOOL_COMPLETED:
        return ACTIVITY_IS_COMPLETED;
    case BOUGH_TOOL_ERROR:
        return ACTIVITY_IS_FAILED;
    case BOUGH_TOOL_PENDING:
    case BOUGH_TOOL_NONE:
        break;
    }
    return ACTIVITY_IS_PENDING;
}

bool tool_facts_read(struct bough_arena *a, const struct bough_part *part, struct tool_facts *out)
{
    struct part_spans s;

    *out = (struct tool_facts){ .detail = "", .error = "" };
    part_spans_read(a, part, &s);
    if (s.kind != VIEW_TOOL && s.kind != VIEW_CALL && s.kind != VIEW_RESULT)
        return false;
    out->call = fact_text(a, s.call);
    out->name = fact_text(a, s.tool);
    out->asked = s.kind != VIEW_RESULT;
    out->status = status_of(&s);
    if (part->type == BOUGH_PART_TOOL && s.kind == VIEW_TOOL)
        out->detail = canonical(a, part->json, out);
    if (!*out->detail)
        out->detail = subject(a, s.quoted ? unquoted(a, s.input) : s.input);
    if (s.failed)
        out->error = fact_value(a, s.output);
    return true;
}

bool artifact_facts_read(struct bough_arena *a, const struct bough_part *part,
                         struct artifact_facts *out)
{
    struct fields f, data;

    if (part->type != BOUGH_PART_FILE || !fields_scan(&f, part->json) || !inner(&f, "data", &data))
        return false;
    out->kind = fact_text(a, fields_raw(&data, "artifact", JSON_STRING));
    if (!*out->kind)
        return false;
    out->name = fact_text(a, fields_raw(&f, "filename", JSON_STRING));
    out->preview = fact_text(a, fields_raw(&data, "preview", JSON_STRING));
    out->size = number(&data, "size");
    return true;
}

size_t patch_files(struct bough_arena *a, const struct bough_part *part, const char **names)
{
    char joined[ACTIVITY_TEXT + 1];
    size_t count = 0, n = 0;
    struct json_event ev;
    struct json_pull p;
    struct fields f;

    *names = "";
    if (!fields_scan(&f, part->json))
        return 0;
    json_pull_init(&p, fields_raw(&f, "files", JSON_ARRAY));
    if (json_pull_next(&p, &ev, NULL) || ev.type != JSON_BEGIN)
        return 0;
    while (!json_pull_next(&p, &ev, NULL) && ev.type == JSON_VALUE) {
        const char *name = n < ACTIVITY_TEXT ? fact_text(a, ev.raw) : "";
        struct bough_str s = str_of(name);

        if (count++ && n + 2 < ACTIVITY_TEXT)
            n += (size_t)(stpcpy(joined + n, ", ") - (joined + n));
        s.n = utf8_cut(s.p, s.n, ACTIVITY_TEXT - n);
        memcpy(joined + n, s.p, s.n);
        n += s.n;
    }
    *names = arena_strndup(a, joined, n);
    return count;
}

bool note_read(struct bough_arena *a, const struct bough_entry *e, struct activity *out,
               bool *named)
{
    struct fields f, data;

    if (!e->data.n || !fields_scan(&f, e->data) || !fields_is(&f, "customType", ACTIVITY_NOTE) ||
        !inner(&f, "data", &data))
        return false;
    *out = (struct activity){ .type = ACTIVITY_OUTPUT, .status = ACTIVITY_IS_COMPLETED };
    (void)activity_type_parse(fact_text(a, fields_raw(&data, "type", JSON_STRING)), &out->type);
    (void)activity_status_parse(fact_text(a, fields_raw(&data, "status", JSON_STRING)),
                                &out->status);
    out->id = fact_text(a, fields_raw(&data, "id", JSON_STRING));
    *named = *out->id != '\0';
    if (!*named)
        out->id = e->id;
    out->kind = fact_text(a, fields_raw(&data, "kind", JSON_STRING));
    out->title = fact_text(a, fields_raw(&data, "title", JSON_STRING));
    out->detail = fact_text(a, fields_raw(&data, "detail", JSON_STRING));
    out->created = fact_time(e->time);
    return true;
}

const char *error_message(struct bough_arena *a, struct bough_str error)
{
    struct fields f, data;
    struct bough_str raw;

    if (!error.n || *error.p == '"')
        return fact_text(a, error);
    if (!fields_scan(&f, error))
        return "";
    raw = fields_raw(&f, "message", JSON_STRING);
    if (!raw.n && inner(&f, "data", &data))
        raw = fields_raw(&data, "message", JSON_STRING);
    return fact_text(a, raw);
}
