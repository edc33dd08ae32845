/* Drafts: checking and appending steps, and the parts, deltas and rows made from them. Pure. */
#include "core/part/draft.h"

#include <string.h>

#include "base/hash/crc32c.h"
#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/memory/squeeze.h"
#include "base/memory/varint.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/part/part.h"

void draft_init(struct draft *d)
{
    memset(d, 0, sizeof *d);
    buf_init(&d->bytes, LIMIT_MESSAGE_BYTES);
}

void draft_finish(struct draft *d)
{
    buf_finish(&d->bytes);
    mem_free(d->runs);
    mem_free(d->parts);
    memset(d, 0, sizeof *d);
}

static size_t run_end(const struct draft *d, size_t i)
{
    return i + 1 < d->nruns ? d->runs[i + 1].from : d->bytes.n;
}

static struct bough_str run_bytes(const struct draft *d, size_t i)
{
    return str_make(d->bytes.p + d->runs[i].from, run_end(d, i) - d->runs[i].from);
}

/* ---- checking a step ---- */

/* The raw string of a part that text is appended to; empty when it has none. */
static struct bough_str growing(enum bough_part_type type, struct bough_str json)
{
    struct fields f;
    struct bough_str raw;

    if ((type != BOUGH_PART_TEXT && type != BOUGH_PART_REASONING) || fields_read(&f, json, NULL))
        return str_of("");
    raw = fields_raw(&f, "text", JSON_STRING);
    return raw.n ? raw : fields_raw(&f, "thinking", JSON_STRING);
}

static enum bough_rc check_text(const struct draft *d, const struct bough_step *s,
                                struct bough_error *err)
{
    if (!d->parts[s->part].grows)
        return bough_fail(err, BOUGH_INVALID, "part %zu has no text that grows", s->part);
    if (utf8_valid(s->bytes.p, s->bytes.n) != s->bytes.n)
        return bough_fail(err, BOUGH_INVALID, "the text is not valid UTF-8");
    return BOUGH_OK;
}

static enum bough_rc check_state(const struct draft *d, const struct bough_step *s,
                                 struct bough_error *err)
{
    const struct draft_part *part = &d->parts[s->part];
    struct bough_part was = { part->type, run_bytes(d, part->latest) }, is = { 0, s->bytes };
    struct bough_arena *tmp;
    bool same;
    enum bough_rc rc = bough_part_check(s->bytes, &is.type, err);

    if (rc)
        return rc;
    if (part->type != BOUGH_PART_TOOL || is.type != BOUGH_PART_TOOL)
        return bough_fail(err, BOUGH_INVALID, "only a tool part has states");
    if (!bough_tool_may_become(part->state, bough_tool_state_of(s->bytes)))
        return bough_fail(err, BOUGH_CONFLICT,
                          "a tool goes from pending to running to completed"
                          " or error, and never back");
    tmp = bough_arena_create();
    same = strcmp(part_call_id(tmp, &was), part_call_id(tmp, &is)) == 0;
    bough_arena_destroy(tmp);
    return same ? BOUGH_OK
                : bough_fail(err, BOUGH_INVALID, "the state is of another call than part %zu",
                             s->part);
}

static enum bough_rc check_step(const struct draft *d, const struct bough_step *s,
                                enum bough_part_type *type, struct bough_error *err)
{
    if (s->bytes.n > LIMIT_MESSAGE_BYTES - d->bytes.n)
        return bough_fail(err, BOUGH_TOO_LARGE, "a message has at most %lld bytes",
                          (long long)LIMIT_MESSAGE_BYTES);
    if ((unsigned)s->kind > BOUGH_STEP_LAST)
        return bough_fail(err, BOUGH_INVALID, "no step has the kind %d", (int)s->kind);
    if (s->kind == BOUGH_STEP_PART && d->nparts >= LIMIT_PARTS)
        return bough_fail(err, BOUGH_TOO_LARGE, "a message has at most %d parts", LIMIT_PARTS);
    if (s->kind == BOUGH_STEP_PART)
        return bough_part_check(s->bytes, type, err);
    if (s->part >= d->nparts)
        return bough_fail(err, BOUGH_INVALID, "there is no part %zu yet", s->part);
    return s->kind == BOUGH_STEP_TEXT ? check_text(d, s, err) : check_state(d, s, err);
}

/* ---- appending a step ---- */

static struct draft_run *push_run(struct draft *d, const struct bough_step *s)
{
    d->runs = mem_room(d->runs, d->nruns, sizeof *d->runs);
    d->runs[d->nruns] = (struct draft_run){ .kind = s->kind, .part = s->part, .from = d->bytes.n };
    return &d->runs[d->nruns++];
}

static struct draft_part *push_part(struct draft *d)
{
    d->parts = mem_room(d->parts, d->nparts, sizeof *d->parts);
    d->parts[d->nparts] = (struct draft_part){ 0 };
    return &d->parts[d->nparts++];
}

static bool goes_on(const struct draft *d, const struct bough_step *s)
{
    const struct draft_run *last = d->nruns ? &d->runs[d->nruns - 1] : NULL;

    return last && s->kind == BOUGH_STEP_TEXT && last->kind == BOUGH_STEP_TEXT &&
           last->part == s->part;
}

static void take(struct draft *d, const struct bough_step *s, enum bough_part_type type)
{
    struct draft_part *part;

    if (s->kind == BOUGH_STEP_PART) {
        part = push_part(d);
        part->type = type;
        part->state = bough_tool_state_of(s->bytes);
        part->grows = growing(type, s->bytes).n > 0;
        push_run(d, s)->part = d->nparts - 1;
        part->latest = d->nruns - 1;
    } else if (s->kind == BOUGH_STEP_TEXT) {
        part = &d->parts[s->part];
        if (!goes_on(d, s))
            push_run(d, s)->at = part->text;
        part->text += s->bytes.n;
    } else {
        part = &d->parts[s->part];
        push_run(d, s);
        part->latest = d->nruns - 1;
        part->state = bough_tool_state_of(s->bytes);
    }
    buf_put_str(&d->bytes, s->bytes);
}

/* The part that BOUGH_STEP_LATEST means; nparts when there is none. */
static size_t latest(const struct draft *d, const struct bough_step *s)
{
    struct bough_part is = { BOUGH_PART_TOOL, s->bytes };
    struct bough_arena *tmp;
    size_t i = d->nparts;

    if (s->kind == BOUGH_STEP_TEXT)
        return i ? i - 1 : i;
    tmp = bough_arena_create();
    while (i--) {
        struct bough_part was = { d->parts[i].type, run_bytes(d, d->parts[i].latest) };

        if (was.type == BOUGH_PART_TOOL &&
            strcmp(part_call_id(tmp, &was), part_call_id(tmp, &is)) == 0)
            break;
    }
    bough_arena_destroy(tmp);
    return i < d->nparts ? i : d->nparts;
}

enum bough_rc draft_step(struct draft *d, const struct bough_step *step, struct bough_error *err)
{
    enum bough_part_type type = BOUGH_PART_OTHER;
    struct bough_step s = *step;
    enum bough_rc rc;

    if (s.part == BOUGH_STEP_LATEST && s.kind != BOUGH_STEP_PART)
        s.part = latest(d, &s);
    rc = check_step(d, &s, &type, err);
    if (rc)
        return rc;
    if (s.bytes.n)
        take(d, &s, type);
    d->last++;
    return BOUGH_OK;
}

/* ---- rows ---- */

/* Index of the run that holds the byte at `from`; nruns at the end of the stream. */
static size_t run_at(const struct draft *d, size_t from)
{
    size_t lo = 0, hi = d->nruns;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (run_end(d, mid) <= from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * A row's body:
 *   0    1 when the steps are compressed, else 0
 *   1-4  CRC-32C of the rest, little endian
 *   5-   varint length of the steps before compression, then the steps:
 *        kind (one byte), varint part, varint length, bytes
 */
enum { ROW_PREFIX = 5 };

struct bough_str draft_pack(struct bough_arena *a, const struct draft *d, size_t from,
                            size_t zstd_from)
{
    size_t first = run_at(d, from), size = 0;
    struct squeezed body;
    unsigned char *p, *start;
    uint32_t crc;

    for (size_t i = first; i < d->nruns; i++)
        size += 1 + 2 * VARINT_MAX + run_bytes(d, i).n;
    p = start = arena_alloc(a, size ? size : 1);
    for (size_t i = first; i < d->nruns; i++) {
        struct bough_str bytes = run_bytes(d, i);
        size_t skip = from > d->runs[i].from ? from - d->runs[i].from : 0;

        *p++ = (unsigned char)d->runs[i].kind;
        p += varint_put(d->runs[i].part, p);
        p += varint_put(bytes.n - skip, p);
        memcpy(p, bytes.p + skip, bytes.n - skip);
        p += bytes.n - skip;
    }
    body = squeeze(a, str_make((const char *)start, (size_t)(p - start)), zstd_from);
    start = arena_alloc(a, ROW_PREFIX + VARINT_MAX + body.bytes.n);
    start[0] = body.zstd;
    p = start + ROW_PREFIX;
    p += varint_put(body.raw, p);
    memcpy(p, body.bytes.p, body.bytes.n);
    p += body.bytes.n;
    crc = crc32c(0, start + ROW_PREFIX, (size_t)(p - start) - ROW_PREFIX);
    for (int i = 0; i < 4; i++)
        start[1 + i] = (unsigned char)(crc >> (8 * i));
    return str_make((const char *)start, (size_t)(p - start));
}

static bool row_steps(struct bough_arena *a, struct bough_str body, struct bough_str *out)
{
    const unsigned char *p = (const unsigned char *)body.p, *end = p + body.n;
    uint64_t raw = 0;
    uint32_t crc = 0;

    if (body.n <= ROW_PREFIX || p[0] > 1)
        return false;
    for (int i = 0; i < 4; i++)
        crc |= (uint32_t)p[1 + i] << (8 * i);
    if (crc != crc32c(0, p + ROW_PREFIX, body.n - ROW_PREFIX))
        return false;
    p += ROW_PREFIX;
    if (!varint_get(&p, end, &raw) || raw > 2 * LIMIT_MESSAGE_BYTES)
        return false;
    return unsqueeze(a,
                     &(struct squeezed){ str_make((const char *)p, (size_t)(end - p)), (size_t)raw,
                                         body.p[0] == 1 },
                     out);
}

static bool take_steps(struct draft *d, struct bough_str steps)
{
    const unsigned char *p, *end;

    if (!steps.p)
        return false;
    p = (const unsigned char *)steps.p;
    end = p + steps.n;
    while (p && p < end) {
        struct bough_step s = { .kind = (enum bough_step_kind) * p++ };
        uint64_t part, n;

        if (!varint_get(&p, end, &part) || !varint_get(&p, end, &n) || n > (size_t)(end - p))
            return false;
        s.part = (size_t)part;
        s.bytes = str_make((const char *)p, (size_t)n);
        if (draft_step(d, &s, NULL))
            return false;
        p += n;
    }
    return true;
}

enum bough_rc draft_unpack(struct draft *d, struct bough_str body, int64_t last,
                           struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_str steps = { "", 0 };
    bool fine = row_steps(tmp, body, &steps) && take_steps(d, steps);

    bough_arena_destroy(tmp);
    d->last = last;
    return fine ? BOUGH_OK
                : bough_fail(err, BOUGH_CORRUPT, "the stored steps of a message are damaged");
}

/* ---- deltas and parts ---- */

static struct bough_delta delta_of(struct bough_arena *a, const struct draft *d, size_t i,
                                   size_t skip)
{
    struct bough_str bytes = run_bytes(d, i);

    return (struct bough_delta){ .kind = d->runs[i].kind,
                                 .part = d->runs[i].part,
                                 .at = (int64_t)(d->runs[i].at + skip),
                                 .bytes = str_make(arena_strndup(a, bytes.p + skip, bytes.n - skip),
                                                   bytes.n - skip) };
}

struct bough_delta *draft_deltas(struct bough_arena *a, const struct draft *d, size_t from,
                                 size_t *n)
{
    size_t first = run_at(d, from);
    struct bough_delta *out = arena_array(a, d->nruns - first + 1, sizeof *out);

    *n = 0;
    for (size_t i = first; i < d->nruns; i++)
        out[(*n)++] = delta_of(a, d, i, from > d->runs[i].from ? from - d->runs[i].from : 0);
    return out;
}

/* A part's JSON with `added` (escaped) inserted before the closing quote of its text. */
static struct bough_str grown(struct bough_arena *a, enum bough_part_type type,
                              struct bough_str json, struct bough_str added)
{
    struct bough_str string = growing(type, json);
    size_t quote = (size_t)(string.p + string.n - 1 - json.p);
    char *out = arena_alloc(a, json.n + added.n + 1);

    memcpy(out, json.p, quote);
    memcpy(out + quote, added.p, added.n);
    memcpy(out + quote + added.n, json.p + quote, json.n - quote);
    out[json.n + added.n] = '\0';
    return str_make(out, json.n + added.n);
}

struct bough_part *draft_parts(struct bough_arena *a, const struct draft *d)
{
    struct bough_part *out = arena_array(a, d->nparts + 1, sizeof *out);
    struct buf *added = arena_array(a, d->nparts + 1, sizeof *added);

    for (size_t i = 0; i < d->nparts; i++)
        if (d->parts[i].text)
            buf_init(&added[i], LIMIT_JSON_BYTES);
    for (size_t i = 0; i < d->nruns; i++)
        if (d->runs[i].kind == BOUGH_STEP_TEXT)
            json_escape(&added[d->runs[i].part], run_bytes(d, i));
    for (size_t i = 0; i < d->nparts; i++) {
        struct bough_str json = run_bytes(d, d->parts[i].latest);

        out[i].type = d->parts[i].type;
        out[i].json = d->parts[i].text ? grown(a, out[i].type, json, buf_str(&added[i]))
                                       : str_make(arena_strndup(a, json.p, json.n), json.n);
        buf_finish(&added[i]);
    }
    return out;
}

/* ---- interrupted tool parts ---- */

/* `json` with `span`, a slice of it, replaced by `with`. */
static struct bough_str splice(struct bough_arena *a, struct bough_str json, struct bough_str span,
                               const char *with)
{
    int before = (int)(span.p - json.p), after = (int)(json.p + json.n - span.p - span.n);

    return str_of(arena_printf(a, "%.*s%s%.*s", before, json.p, with, after, span.p + span.n));
}

/* A JSON object with `member` added at its end. */
static struct bough_str with_member(struct bough_arena *a, struct bough_str object,
                                    const char *member)
{
    struct fields f;
    size_t brace = object.n;
    bool empty = fields_read(&f, object, NULL) || f.n == 0;

    while (brace > 0 && object.p[brace - 1] != '}')
        brace--;
    return splice(a, object, str_make(object.p + brace - 1, 1),
                  arena_printf(a, "%s%s}", empty ? "" : ",", member));
}

static long long start_of(struct fields *state, int64_t now)
{
    struct bough_str time = fields_raw(state, "time", JSON_OBJECT), start;
    struct fields f;
    int64_t ms = now;

    if (!time.n || fields_read(&f, time, NULL))
        return (long long)now;
    start = fields_raw(&f, "start", JSON_NUMBER);
    return start.n && json_span_i64(start, &ms) ? (long long)ms : (long long)now;
}

/* The canonical form: `state` is an object, whose input and metadata are kept. */
static struct bough_str interrupt_state(struct bough_arena *a, struct bough_str json,
                                        struct bough_str state, int64_t now)
{
    struct fields f;
    struct bough_str input, meta;
    const char *text;

    if (fields_read(&f, state, NULL))
        return json;
    input = fields_raw(&f, "input", JSON_OBJECT);
    meta = fields_raw(&f, "metadata", JSON_OBJECT);
    meta = with_member(a, meta.n ? meta : str_of("{}"), "\"interrupted\":true");
    text = arena_printf(a,
                        "{\"status\":\"error\",\"input\":%.*s,\"error\":\"interrupted\","
                        "\"metadata\":%.*s,\"time\":{\"start\":%lld,\"end\":%lld}}",
                        input.n ? (int)input.n : 2, input.n ? input.p : "{}", (int)meta.n, meta.p,
                        start_of(&f, now), (long long)now);
    return splice(a, json, state, text);
}

struct bough_part draft_interrupt(struct bough_arena *a, struct bough_part part, int64_t now)
{
    enum bough_tool_state state =
        part.type == BOUGH_PART_TOOL ? bough_tool_state_of(part.json) : BOUGH_TOOL_NONE;
    struct bough_str span;
    struct fields f;

    if ((state != BOUGH_TOOL_PENDING && state != BOUGH_TOOL_RUNNING) ||
        fields_read(&f, part.json, NULL))
        return part;
    span = fields_raw(&f, "state", JSON_OBJECT);
    if (span.n) {
        part.json = interrupt_state(a, part.json, span, now);
        return part;
    }
    /* The AI SDK's form; its older toolInvocation has no error state and stays as it is. */
    span = fields_raw(&f, "state", JSON_STRING);
    if (span.n)
        part.json = with_member(a, splice(a, part.json, span, "\"output-error\""),
                                "\"errorText\":\"interrupted\"");
    return part;
}
