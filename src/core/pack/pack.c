/* Packed entries: writing, reading and splitting an entry's row body. Pure. */
#include "core/pack/pack.h"

#include <string.h>

#include "base/hash/crc32c.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/varint.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/pack/attach.h"

/* Which optional fields a tail has. Stored: a new field is the next bit, behind the others. */
enum {
    HAS_FINISH = 1,
    HAS_ERROR = 2,
    HAS_USAGE = 4,
    HAS_DURATION = 8,
    HAS_KEEP_FROM = 16,
    HAS_DATA = 32,
    HAS_METADATA = 64,
    HAS_ORIGIN = 128,
    HAS_KIND_NAME = 256,
    HAS_MOVED = 512,
    HAS_ALL = 1023,
};

enum { KIND_BOUND = 32 }; /* kinds are bits of sets of 32 */

static void put_u48(char *p, uint64_t v)
{
    for (int i = 0; i < 6; i++)
        p[i] = (char)(v >> (8 * i));
}

static uint64_t get_le(const char *p, int n)
{
    uint64_t v = 0;

    for (int i = n - 1; i >= 0; i--)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static void put_u32(char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (char)(v >> (8 * i));
}

/* Writes varints and strings; the caller has allocated enough memory. */
struct out {
    char *p;
};

static void out_varint(struct out *o, uint64_t v)
{
    o->p += varint_put(v, (unsigned char *)o->p);
}

static void out_i64(struct out *o, int64_t v)
{
    o->p += varint_put_i64(v, (unsigned char *)o->p);
}

static void out_bytes(struct out *o, struct bough_str s)
{
    if (s.n)
        memcpy(o->p, s.p, s.n);
    o->p += s.n;
    *o->p++ = '\0';
}

static unsigned present(const struct bough_entry *e)
{
    return (cstr_empty(e->finish) ? 0u : HAS_FINISH) | (e->error.n ? HAS_ERROR : 0u) |
           (e->usage ? HAS_USAGE : 0u) | (e->duration ? HAS_DURATION : 0u) |
           (e->keep_from ? HAS_KEEP_FROM : 0u) | (e->data.n ? HAS_DATA : 0u) |
           (e->metadata.n ? HAS_METADATA : 0u) | (cstr_empty(e->origin) ? 0u : HAS_ORIGIN) |
           (cstr_empty(e->kind_name) || e->kind != BOUGH_ENTRY_OTHER ? 0u : HAS_KIND_NAME);
}

/* The strings of a tail in their fixed order; absent ones are not stored. */
enum { TAIL_STRINGS = 6 };

static void tail_strings(const struct bough_entry *e, unsigned has,
                         struct bough_str s[TAIL_STRINGS])
{
    s[0] = has & HAS_FINISH ? str_of(e->finish) : str_of("");
    s[1] = has & HAS_ERROR ? e->error : str_of("");
    s[2] = has & HAS_DATA ? e->data : str_of("");
    s[3] = has & HAS_METADATA ? e->metadata : str_of("");
    s[4] = has & HAS_ORIGIN ? str_of(e->origin) : str_of("");
    s[5] = has & HAS_KIND_NAME ? str_of(e->kind_name) : str_of("");
}

static const unsigned string_flags[TAIL_STRINGS] = { HAS_FINISH,   HAS_ERROR,  HAS_DATA,
                                                     HAS_METADATA, HAS_ORIGIN, HAS_KIND_NAME };

static void write_usage(struct out *o, const struct bough_totals *t)
{
    out_i64(o, t->input);
    out_i64(o, t->output);
    out_i64(o, t->reasoning);
    out_i64(o, t->cache_read);
    out_i64(o, t->cache_write);
    out_i64(o, t->cost);
}

static void write_moved(struct out *o, const struct pack_moved *moved, size_t n)
{
    out_varint(o, n);
    for (size_t i = 0; i < n; i++) {
        out_varint(o, moved[i].part);
        out_varint(o, moved[i].at);
        out_varint(o, moved[i].how);
    }
}

void pack_tail(struct bough_arena *a, const struct bough_entry *e, size_t zstd_from,
               struct squeezed *out)
{
    pack_tail_moved(a, e, NULL, 0, zstd_from, out);
}

void pack_tail_moved(struct bough_arena *a, const struct bough_entry *e,
                     const struct pack_moved *moved, size_t nmoved, size_t zstd_from,
                     struct squeezed *out)
{
    unsigned has = present(e) | (nmoved ? HAS_MOVED : 0u);
    struct bough_str s[TAIL_STRINGS];
    size_t size = 16 + (8 + 3 * nmoved) * VARINT_MAX;
    struct out o;
    char *start;

    tail_strings(e, has, s);
    for (int i = 0; i < TAIL_STRINGS; i++)
        size += s[i].n + 1 + VARINT_MAX;
    for (size_t i = 0; i < e->nparts; i++)
        size += e->parts[i].json.n + 2 + VARINT_MAX;
    o.p = start = arena_alloc(a, size);
    out_varint(&o, has);
    if (has & HAS_USAGE)
        write_usage(&o, e->usage);
    if (has & HAS_DURATION)
        out_i64(&o, e->duration);
    if (has & HAS_KEEP_FROM)
        out_i64(&o, e->keep_from);
    for (int i = 0; i < TAIL_STRINGS; i++)
        if (has & string_flags[i])
            out_varint(&o, s[i].n);
    out_varint(&o, e->nparts);
    for (size_t i = 0; i < e->nparts; i++) {
        *o.p++ = (char)e->parts[i].type;
        out_varint(&o, e->parts[i].json.n);
    }
    if (nmoved)
        write_moved(&o, moved, nmoved);
    for (int i = 0; i < TAIL_STRINGS; i++)
        if (has & string_flags[i])
            out_bytes(&o, s[i]);
    for (size_t i = 0; i < e->nparts; i++)
        out_bytes(&o, e->parts[i].json);
    *out = squeeze(a, str_make(start, (size_t)(o.p - start)), zstd_from);
}

struct bough_str pack_entry(struct bough_arena *a, const struct bough_entry *e,
                            const struct pack_extra *x, const struct squeezed *tail)
{
    char *start = arena_alloc(a, PACK_PREFIX + 10 * VARINT_MAX + tail->bytes.n);
    struct out o = { start + PACK_PREFIX };
    size_t n;

    start[0] = (char)(PACK_VERSION | (tail->zstd ? PACK_ZSTD : 0));
    put_u48(start + 5, 0);
    put_u32(start + 11, (uint32_t)x->call_ord);
    out_varint(&o, (uint64_t)e->at.depth);
    out_varint(&o, (uint64_t)e->kind);
    out_varint(&o, (uint64_t)e->role);
    out_varint(&o, (uint64_t)x->made);
    out_varint(&o, (uint64_t)x->chk);
    out_varint(&o, (uint64_t)e->mno);
    out_i64(&o, e->time - x->made);
    out_varint(&o, (uint64_t)x->call_made);
    if (x->call_made)
        out_varint(&o, (uint64_t)x->call_chk);
    out_varint(&o, tail->raw);
    memcpy(o.p, tail->bytes.p, tail->bytes.n);
    o.p += tail->bytes.n;
    n = (size_t)(o.p - start);
    put_u32(start + 1, crc32c(0, start + PACK_PREFIX, n - PACK_PREFIX));
    return str_make(start, n);
}

void pack_entry_patch(char *body, int64_t no, int64_t call_ord)
{
    put_u48(body + 5, (uint64_t)no);
    if (call_ord)
        put_u32(body + 11, (uint32_t)call_ord);
}

/* ---- reading ---- */

struct in {
    const unsigned char *p, *end;
    bool bad;
};

static uint64_t in_varint(struct in *i)
{
    uint64_t v = 0;

    if (!varint_get(&i->p, i->end, &v))
        i->bad = true;
    return v;
}

static int64_t in_i64(struct in *i)
{
    int64_t v = 0;

    if (!varint_get_i64(&i->p, i->end, &v))
        i->bad = true;
    return v;
}

bool pack_entry_sound(struct bough_str body)
{
    return body.n > PACK_PREFIX && (body.p[0] & 0x0f) == PACK_VERSION &&
           (uint32_t)get_le(body.p + 1, 4) == crc32c(0, body.p + PACK_PREFIX, body.n - PACK_PREFIX);
}

bool pack_entry_head(struct bough_str body, struct pack_head *h)
{
    struct in i;

    if (body.n <= PACK_PREFIX || (body.p[0] & 0x0f) != PACK_VERSION)
        return false;
    i = (struct in){ (const unsigned char *)body.p + PACK_PREFIX,
                     (const unsigned char *)body.p + body.n, false };
    h->no = (int64_t)get_le(body.p + 5, 6);
    h->call_ord = (int64_t)get_le(body.p + 11, 4);
    h->depth = (int64_t)in_varint(&i);
    h->kind = (int64_t)in_varint(&i);
    h->role = (int64_t)in_varint(&i);
    h->made = (int64_t)in_varint(&i);
    h->chk = (int64_t)in_varint(&i);
    h->mno = (int64_t)in_varint(&i);
    h->time = (int64_t)((uint64_t)h->made + (uint64_t)in_i64(&i)); /* damaged bytes may overflow */
    h->call_made = (int64_t)in_varint(&i);
    h->call_chk = h->call_made ? (int64_t)in_varint(&i) : 0;
    h->raw = (size_t)in_varint(&i);
    h->tail = str_make((const char *)i.p, (size_t)(i.end - i.p));
    return !i.bad && (uint64_t)h->kind < KIND_BOUND && (uint64_t)h->role < KIND_BOUND;
}

/* The next string of length n, which must be followed by a NUL. */
static struct bough_str take(const unsigned char **p, const unsigned char *end, uint64_t n,
                             bool *bad)
{
    struct bough_str s = { "", 0 };

    if (*bad || n >= (uint64_t)(end - *p) || (*p)[n]) {
        *bad = true;
        return s;
    }
    s = str_make((const char *)*p, (size_t)n);
    *p += n + 1;
    return s;
}

static const struct bough_totals *read_usage(struct bough_arena *a, struct in *i)
{
    struct bough_totals *t = arena_zalloc(a, sizeof *t);

    t->input = in_i64(i);
    t->output = in_i64(i);
    t->reasoning = in_i64(i);
    t->cache_read = in_i64(i);
    t->cache_write = in_i64(i);
    t->cost = in_i64(i);
    return t;
}

static bool read_parts(struct bough_arena *a, struct in *i, struct bough_entry *e, bool *newer)
{
    struct bough_part *parts;

    e->nparts = (size_t)in_varint(i);
    if (i->bad || e->nparts > LIMIT_PARTS)
        return false;
    parts = arena_alloc(a, (e->nparts ? e->nparts : 1) * sizeof *parts);
    for (size_t k = 0; k < e->nparts; k++) {
        unsigned char type;

        if (i->p >= i->end)
            return false;
        type = *i->p++;
        *newer = *newer || type > BOUGH_PART_LAST;
        parts[k].type = type > BOUGH_PART_LAST ? BOUGH_PART_OTHER : (enum bough_part_type)type;
        parts[k].json.n = (size_t)in_varint(i);
    }
    e->parts = parts;
    return !i->bad;
}

static bool read_moved(struct bough_arena *a, struct in *i, struct pack_extra *x)
{
    struct pack_moved *moved;
    uint64_t n = in_varint(i);

    if (i->bad || n > (uint64_t)(i->end - i->p) / 3)
        return false;
    moved = arena_array(a, n ? n : 1, sizeof *moved);
    for (uint64_t k = 0; k < n; k++) {
        moved[k].part = (uint32_t)in_varint(i);
        moved[k].at = (uint32_t)in_varint(i);
        moved[k].how = (uint8_t)in_varint(i);
    }
    x->moved = moved;
    x->nmoved = (size_t)n;
    return !i->bad;
}

/* Are the moved runs in order, without overlap, each at an attachment's name? */
static bool moved_fit(const struct bough_entry *e, const struct pack_extra *x)
{
    unsigned char hash[32];
    uint64_t end = 0;

    for (size_t k = 0; k < x->nmoved; k++) {
        const struct pack_moved *m = &x->moved[k];
        const struct bough_str *json = m->part < e->nparts ? &e->parts[m->part].json : NULL;

        if (k && m->part != m[-1].part)
            end = 0;
        if (!json || (k && m->part < m[-1].part) || m->at < end || m->how != PACK_BASE64 ||
            (uint64_t)m->at + ATTACH_NAME_LEN > json->n ||
            !attach_parse(str_make(json->p + m->at, ATTACH_NAME_LEN), hash))
            return false;
        end = (uint64_t)m->at + ATTACH_NAME_LEN;
    }
    return true;
}

static enum bough_rc read_tail(struct bough_arena *a, struct bough_str tail, struct bough_entry *e,
                               struct pack_extra *x)
{
    struct in i = { (const unsigned char *)tail.p, (const unsigned char *)tail.p + tail.n, false };
    struct bough_str s[TAIL_STRINGS];
    uint64_t len[TAIL_STRINGS] = { 0 };
    uint64_t has = in_varint(&i);

    if (!i.bad && (has & ~(uint64_t)HAS_ALL))
        return BOUGH_VERSION;
    if (has & HAS_USAGE)
        e->usage = read_usage(a, &i);
    e->duration = has & HAS_DURATION ? in_i64(&i) : 0;
    e->keep_from = has & HAS_KEEP_FROM ? in_i64(&i) : 0;
    for (int k = 0; k < TAIL_STRINGS; k++)
        if (has & string_flags[k])
            len[k] = in_varint(&i);
    if (i.bad || !read_parts(a, &i, e, &x->newer) || ((has & HAS_MOVED) && !read_moved(a, &i, x)))
        return BOUGH_CORRUPT;
    for (int k = 0; k < TAIL_STRINGS; k++)
        s[k] = has & string_flags[k] ? take(&i.p, i.end, len[k], &i.bad) : str_of("");
    for (size_t k = 0; k < e->nparts; k++)
        ((struct bough_part *)e->parts)[k].json = take(&i.p, i.end, e->parts[k].json.n, &i.bad);
    e->finish = s[0].p;
    e->error = s[1];
    e->data = s[2];
    e->metadata = s[3];
    e->origin = s[4].p;
    e->kind_name = has & HAS_KIND_NAME ? s[5].p : bough_entry_kind_name(e->kind);
    return !i.bad && i.p == i.end && moved_fit(e, x) ? BOUGH_OK : BOUGH_CORRUPT;
}

enum bough_rc pack_entry_read(struct bough_arena *a, struct bough_str body, struct bough_entry *e,
                              struct pack_extra *x, struct bough_error *err)
{
    struct pack_head h;
    struct bough_str tail;
    enum bough_rc rc;

    memset(e, 0, sizeof *e);
    if (!pack_entry_sound(body) || !pack_entry_head(body, &h))
        return bough_fail(err, BOUGH_CORRUPT,
                          "an entry's stored bytes do not match their checksum");
    if (h.kind > BOUGH_ENTRY_LAST || h.role > BOUGH_ROLE_LAST)
        return bough_fail(err, BOUGH_VERSION, "a newer bough wrote this entry: kind %d, role %d",
                          (int)h.kind, (int)h.role);
    e->no = h.no;
    e->at.depth = h.depth;
    e->kind = (enum bough_entry_kind)h.kind;
    e->role = (enum bough_role)h.role;
    e->mno = h.mno;
    e->time = h.time;
    *x = (struct pack_extra){ h.made, h.chk, h.call_made, h.call_chk, h.call_ord, NULL, 0, false };
    if (h.raw > LIMIT_MESSAGE_BYTES * 2 ||
        !unsqueeze(a, &(struct squeezed){ h.tail, h.raw, body.p[0] & PACK_ZSTD }, &tail))
        return bough_fail(err, BOUGH_CORRUPT, "an entry's stored bytes cannot be expanded");
    rc = read_tail(a, tail, e, x);
    if (rc == BOUGH_VERSION)
        return bough_fail(err, rc,
                          "a newer bough wrote this entry: it has a field that is not known here");
    return rc ? bough_fail(err, rc, "an entry's stored bytes cannot be read") : BOUGH_OK;
}

struct bough_str pack_entry_again(struct bough_arena *a, struct bough_str body, size_t zstd_from)
{
    struct squeezed tail;
    struct bough_str raw;
    struct pack_head h;
    size_t front;
    char *out;

    if (!pack_entry_sound(body) || !pack_entry_head(body, &h) || h.raw > LIMIT_MESSAGE_BYTES * 2 ||
        !unsqueeze(a, &(struct squeezed){ h.tail, h.raw, body.p[0] & PACK_ZSTD }, &raw))
        return body;
    tail = squeeze(a, raw, zstd_from);
    front = (size_t)(h.tail.p - body.p);
    out = arena_alloc(a, front + tail.bytes.n);
    memcpy(out, body.p, front);
    memcpy(out + front, tail.bytes.p, tail.bytes.n);
    out[0] = (char)((body.p[0] & ~PACK_ZSTD) | (tail.zstd ? PACK_ZSTD : 0));
    put_u32(out + 1, crc32c(0, out + PACK_PREFIX, front + tail.bytes.n - PACK_PREFIX));
    return str_make(out, front + tail.bytes.n);
}

/* ---- splitting and joining ---- */

/* The lengths of a body's strings and parts, read from its front. */
struct layout {
    size_t strings[TAIL_STRINGS]; /* including the NUL; 0: absent */
    size_t *parts;                /* including the NUL */
    unsigned char *types;
    size_t n;
};

static size_t length_in(struct in *i)
{
    uint64_t n = in_varint(i);

    if (n > LIMIT_MESSAGE_BYTES * 2)
        i->bad = true;
    return i->bad ? 0 : (size_t)n + 1;
}

/* False: compressed, a stub, or damaged. */
static bool layout_of(struct bough_arena *a, struct bough_str body, struct layout *out)
{
    struct pack_head h;
    struct in i;
    unsigned has;
    uint64_t count;

    *out = (struct layout){ .n = 0 };
    if (!pack_entry_head(body, &h) || (body.p[0] & (PACK_ZSTD | PACK_STUB)))
        return false;
    i = (struct in){ (const unsigned char *)h.tail.p, (const unsigned char *)h.tail.p + h.tail.n,
                     false };
    has = (unsigned)in_varint(&i);
    for (int k = 0; k < (has & HAS_USAGE ? 6 : 0); k++)
        (void)in_i64(&i);
    if (has & HAS_DURATION)
        (void)in_i64(&i);
    if (has & HAS_KEEP_FROM)
        (void)in_i64(&i);
    for (int k = 0; k < TAIL_STRINGS; k++)
        out->strings[k] = has & string_flags[k] ? length_in(&i) : 0;
    count = in_varint(&i);
    if (i.bad || count > LIMIT_PARTS)
        return false;
    out->parts = arena_array(a, (size_t)count + 1, sizeof *out->parts);
    out->types = arena_zalloc(a, (size_t)count + 1);
    for (; out->n < count && i.p < i.end; out->n++) {
        out->types[out->n] = *i.p++;
        out->parts[out->n] = length_in(&i);
    }
    return !i.bad && out->n == count;
}

static size_t sum_of(const size_t *lengths, size_t n)
{
    size_t sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += lengths[k];
    return sum;
}

/* Replace the byte after each part by `between`, after the last part by `end`. */
static void separate(char *p, const struct layout *l, char between, char end)
{
    for (size_t k = 0; k < l->n; k++) {
        p += l->parts[k];
        p[-1] = k + 1 < l->n ? between : end;
    }
}

static bool is_text(struct bough_str s)
{
    return !memchr(s.p, 0, s.n) && utf8_valid(s.p, s.n) == s.n;
}

/* One of the tail's strings, which end the front; empty if absent. */
static struct bough_str string_at(struct bough_str front, const struct layout *l, int which)
{
    size_t behind = sum_of(l->strings + which, (size_t)(TAIL_STRINGS - which));

    if (!l->strings[which] || behind > front.n)
        return str_of("");
    return str_make(front.p + front.n - behind, l->strings[which] - 1);
}

static struct bough_str types_of(struct bough_arena *a, const struct layout *l)
{
    struct bough_str out;
    struct buf b;

    buf_init(&b, 32 * (l->n + 1));
    for (size_t k = 0; k < l->n; k++)
        buf_printf(&b, "%s%s", k ? "," : "",
                   l->types[k] <= BOUGH_PART_LAST
                       ? bough_part_type_name((enum bough_part_type)l->types[k])
                       : "");
    out = str_make(arena_strndup(a, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}

bool pack_split(struct bough_arena *a, struct bough_str body, struct pack_pieces *out)
{
    struct layout l;
    size_t sum;
    char *text;

    if (!layout_of(a, body, &l))
        return false;
    sum = sum_of(l.parts, l.n);
    if (sum >= body.n)
        return false;
    text = arena_alloc(a, sum + 2);
    text[0] = '[';
    memcpy(text + 1, body.p + body.n - sum, sum);
    separate(text + 1, &l, ',', ']');
    if (l.n && !is_text(str_make(text, sum + 1)))
        return false;
    out->front = str_make(body.p, body.n - sum);
    out->parts = l.n ? str_make(text, sum + 1) : str_of("");
    out->data = string_at(out->front, &l, 2);
    out->metadata = string_at(out->front, &l, 3);
    out->types = types_of(a, &l);
    return is_text(out->data) && is_text(out->metadata);
}

struct bough_str pack_join(struct bough_arena *a, struct bough_str front, struct bough_str parts)
{
    size_t sum = parts.n ? parts.n - 1 : 0;
    char *body = arena_alloc(a, front.n + sum + 1);
    struct layout l;

    memcpy(body, front.p, front.n);
    if (sum)
        memcpy(body + front.n, parts.p + 1, sum);
    body[front.n + sum] = '\0';
    if (layout_of(a, front, &l) && sum_of(l.parts, l.n) == sum)
        separate(body + front.n, &l, '\0', '\0');
    return str_make(body, front.n + sum);
}
