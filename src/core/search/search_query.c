/* Search: parsing a query into terms and filters. Pure; no input is an error. */
#include "core/search/search.h"

#include <ctype.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "core/model/names.h"
#include "core/model/text.h"
#include "core/search/tokenizer.h"

/* ---- terms ---- */

void search_term_add(struct bough_arena *a, struct search_query *q, struct bough_str text,
                     unsigned fields, bool negated, bool prefix)
{
    struct tokenizer t;
    struct token w;
    struct buf b;
    size_t n = 0;

    token_init(&t, text);
    buf_init(&b, (TOKEN_MAX + 1) * LIMIT_SEARCH_PHRASE);
    while (n < LIMIT_SEARCH_PHRASE && token_next(&t, &w)) {
        if (n++)
            buf_putc(&b, ' ');
        buf_put(&b, w.text, w.n);
    }
    if (n == LIMIT_SEARCH_PHRASE && token_next(&t, &w)) {
        q->ignored++;
        prefix = false;
    }
    if (n && q->n < LIMIT_SEARCH_TERMS)
        q->terms[q->n++] = (struct search_term){ negated, prefix, fields, text_keep(a, &b) };
    else if (n)
        q->ignored++;
    buf_finish(&b);
}

/* ---- dates ---- */

static int64_t day_number(int64_t y, int64_t m, int64_t d) /* since 1970-01-01 */
{
    int64_t era, yoe, doy;

    y -= m <= 2;
    era = y / 400;
    yoe = y - era * 400;
    doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

#define DAY_MS INT64_C(86400000)

static int64_t midnight(int64_t ms)
{
    return ms / DAY_MS * DAY_MS;
}

/* Read `width` digits at *at and advance it; -1: other characters. */
static int64_t digits(struct bough_str s, size_t *at, size_t width)
{
    int64_t v = 0;

    for (size_t i = 0; i < width; i++, ++*at) {
        if (*at >= s.n || s.p[*at] < '0' || s.p[*at] > '9')
            return -1;
        v = v * 10 + (s.p[*at] - '0');
    }
    return v;
}

/* 2026, 2026-11, 2026-11-15, 2026-11-15T10:30, optionally with seconds and a Z. */
static bool calendar(struct bough_str s, int64_t *out)
{
    static const struct {
        char before;
        int64_t min, max;
    } steps[] = { { '-', 1, 12 }, { '-', 1, 31 }, { 'T', 0, 23 }, { ':', 0, 59 }, { ':', 0, 59 } };
    int64_t v[5] = { 1, 1, 0, 0, 0 };
    size_t at = 0, i = 0;
    int64_t year = digits(s, &at, 4);

    if (year < 1970)
        return false;
    for (; i < 5 && at < s.n && (s.p[at] & ~32) == (steps[i].before & ~32); i++) {
        at++;
        v[i] = digits(s, &at, 2);
        if (v[i] < steps[i].min || v[i] > steps[i].max)
            return false;
    }
    if (i >= 3 && at < s.n && (s.p[at] & ~32) == 'Z')
        at++;
    if (at != s.n || i == 3)
        return false;
    *out = day_number(year, v[0], v[1]) * DAY_MS + ((v[2] * 60 + v[3]) * 60 + v[4]) * 1000;
    return true;
}

/* 12h, 7d, 2w: that long before `now`. */
static bool ago(struct bough_str s, int64_t now, int64_t *out)
{
    int64_t n, unit;
    size_t at = 0;

    if (s.n < 2 || s.n > 5)
        return false;
    n = digits(s, &at, s.n - 1);
    switch (s.p[s.n - 1] | 32) {
    case 'h':
        unit = DAY_MS / 24;
        break;
    case 'd':
        unit = DAY_MS;
        break;
    case 'w':
        unit = 7 * DAY_MS;
        break;
    default:
        return false;
    }
    if (n < 0)
        return false;
    *out = now - n * unit > 1 ? now - n * unit : 1;
    return true;
}

bool search_date(struct bough_str s, int64_t now, int64_t *out)
{
    if (s.n == 5 && strncasecmp(s.p, "today", 5) == 0)
        *out = midnight(now);
    else if (s.n == 9 && strncasecmp(s.p, "yesterday", 9) == 0)
        *out = midnight(now) - DAY_MS;
    else if (!ago(s, now, out) && !calendar(s, out))
        return false;
    if (*out < 1) /* 0 means no date */
        *out = 1;
    return true;
}

/* ---- filters ---- */

/* take() returns false for a value it does not accept; name and value are then search words. */
struct filter {
    const char *name;
    bool (*take)(struct bough_arena *a, struct search_query *q, struct bough_str value,
                 bool negated, int64_t now);
};

static const char *lower(struct bough_arena *a, struct bough_str s)
{
    char *p = arena_strndup(a, s.p, s.n);

    for (char *c = p; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return p;
}

static bool take_role(struct bough_arena *a, struct search_query *q, struct bough_str value,
                      bool negated, int64_t now)
{
    const char *name = lower(a, value);
    enum bough_role role = bough_role_parse(arena_strndup(a, value.p, value.n));

    (void)now;
    if (role == BOUGH_ROLE_OTHER)
        role = bough_role_parse(name);
    if (role == BOUGH_ROLE_OTHER && !cstr_eq(name, "other"))
        return false;
    *(negated ? &q->not_roles : &q->roles) |= 1u << role;
    return true;
}

static bool take_kind(struct bough_arena *a, struct search_query *q, struct bough_str value,
                      bool negated, int64_t now)
{
    const char *name = lower(a, value);
    enum bough_entry_kind kind = entry_kind_parse(name);

    (void)now;
    if (kind == BOUGH_ENTRY_OTHER && !cstr_eq(name, "other"))
        return false;
    *(negated ? &q->not_kinds : &q->kinds) |= 1u << kind;
    return true;
}

static bool take_session(struct bough_arena *a, struct search_query *q, struct bough_str value,
                         bool negated, int64_t now)
{
    (void)now;
    if (!negated)
        q->session = arena_strndup(a, value.p, value.n);
    return !negated;
}

static bool take_project(struct bough_arena *a, struct search_query *q, struct bough_str value,
                         bool negated, int64_t now)
{
    (void)now;
    if (!negated)
        q->project = arena_strndup(a, value.p, value.n);
    return !negated;
}

static bool take_branch(struct bough_arena *a, struct search_query *q, struct bough_str value,
                        bool negated, int64_t now)
{
    size_t at = value.n && value.p[0] == '#';
    int64_t bid = value.n - at <= 10 ? digits(value, &at, value.n - at) : -1;

    (void)a;
    (void)now;
    if (negated || bid <= 0)
        return false;
    q->branch = bid;
    return true;
}

static bool take_since(struct bough_arena *a, struct search_query *q, struct bough_str value,
                       bool negated, int64_t now)
{
    (void)a;
    return search_date(value, now, negated ? &q->before : &q->since);
}

static bool take_before(struct bough_arena *a, struct search_query *q, struct bough_str value,
                        bool negated, int64_t now)
{
    (void)a;
    return search_date(value, now, negated ? &q->since : &q->before);
}

static const struct filter filters[] = {
    { "role", take_role },       { "kind", take_kind },     { "session", take_session },
    { "project", take_project }, { "branch", take_branch }, { "since", take_since },
    { "before", take_before },   { "until", take_before },
};

/* ---- reading ---- */

struct reader {
    struct bough_arena *a;
    struct search_query *q;
    int64_t now;
    const char *p, *end;
};

/* Length of the white space character at p, 0 if none: ASCII, no-break or ideographic space. */
static size_t space(const char *p, const char *end)
{
    if (p < end && (unsigned char)*p <= ' ')
        return 1;
    if (end - p >= 2 && memcmp(p, "\xc2\xa0", 2) == 0)
        return 2;
    return end - p >= 3 && memcmp(p, "\xe3\x80\x80", 3) == 0 ? 3 : 0;
}

/* Length of the quote at p, straight or curly; 0 if none. */
static size_t quote(const char *p, const char *end)
{
    if (p < end && *p == '"')
        return 1;
    return end - p >= 3 && (memcmp(p, "\xe2\x80\x9c", 3) == 0 || memcmp(p, "\xe2\x80\x9d", 3) == 0)
               ? 3
               : 0;
}

/* A value: text in quotes if the quote is closed, else text up to the next space. */
static struct bough_str value(struct reader *r, bool *prefix)
{
    const char *from = r->p;
    size_t k = quote(r->p, r->end);
    struct bough_str s;

    *prefix = false;
    for (const char *p = from + k; k && p < r->end; p++) {
        size_t close = quote(p, r->end);

        if (!close)
            continue;
        r->p = p + close;
        *prefix = r->p < r->end && *r->p == '*';
        r->p += *prefix;
        return str_make(from + k, (size_t)(p - from) - k);
    }
    while (r->p < r->end && !space(r->p, r->end))
        r->p++;
    s = str_make(from, (size_t)(r->p - from));
    *prefix = s.n > 1 && s.p[s.n - 1] == '*';
    return s;
}

/* The name of "name:" at the reader, if a value follows; else empty. */
static struct bough_str field_name(const struct reader *r)
{
    const char *p = r->p;

    while (p < r->end && isalpha((unsigned char)*p) && p - r->p < 16)
        p++;
    if (p == r->p || p + 1 >= r->end || *p != ':' || space(p + 1, r->end))
        return str_make(NULL, 0);
    return str_make(r->p, (size_t)(p - r->p));
}

static bool named(struct bough_str s, const char *name)
{
    return s.n == strlen(name) && strncasecmp(s.p, name, s.n) == 0;
}

/* An invalid or empty expression matches nothing (P39). Of several the last counts. */
static void take_expression(struct reader *r, struct bough_str pattern)
{
    struct bough_error why;
    struct regex *re = NULL;

    r->q->refused = "";
    if (!pattern.n)
        r->q->refused = "the regular expression is empty";
    else if (regex_compile(r->a, pattern, &re, &why))
        r->q->refused = arena_strdup(r->a, why.msg);
    r->q->re = re;
}

/* re: at the beginning takes the whole rest of the query, with spaces and quotes (P39). */
static bool read_expression(struct reader *r)
{
    struct bough_str all = text_trim(str_make(r->p, (size_t)(r->end - r->p)));

    if (all.n < 3 || strncasecmp(all.p, "re:", 3) != 0)
        return false;
    take_expression(r, text_trim(str_make(all.p + 3, all.n - 3)));
    r->p = r->end;
    return true;
}

/* field:value. False: unknown field or unacceptable value; the reader has not moved. */
static bool read_field(struct reader *r, bool negated)
{
    struct bough_str name = field_name(r), v;
    const char *from = r->p;
    bool prefix;

    if (!name.n)
        return false;
    r->p += name.n + 1;
    v = value(r, &prefix);
    if (named(name, "re") && !negated) {
        take_expression(r, v);
        return true;
    }
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (named(name, filters[i].name) && v.n && filters[i].take(r->a, r->q, v, negated, r->now))
            return true;
    for (int f = 0; f < SEARCH_FIELDS; f++)
        if (named(name, search_field_name((enum search_field)f))) {
            search_term_add(r->a, r->q, v, 1u << f, negated, prefix);
            return true;
        }
    r->p = from;
    return false;
}

void search_parse(struct bough_arena *a, struct bough_str text, int64_t now,
                  struct search_query *out)
{
    struct reader r = { a, out, now, text.p, text.p + text.n };

    *out = (struct search_query){ .session = "", .project = "", .refused = "" };
    if (text.n > LIMIT_SEARCH_QUERY) {
        r.end = text.p + LIMIT_SEARCH_QUERY;
        out->ignored++;
    }
    if (read_expression(&r))
        return;
    while (r.p < r.end) {
        size_t k = space(r.p, r.end);
        struct bough_str v;
        bool negated, prefix;

        if (k) {
            r.p += k;
            continue;
        }
        /* One dash negates; two dashes begin a program's option and are searched. */
        negated = *r.p == '-' && r.p + 1 < r.end && r.p[1] != '-' && !space(r.p + 1, r.end);
        r.p += negated;
        if (read_field(&r, negated))
            continue;
        v = value(&r, &prefix);
        search_term_add(a, out, v, SEARCH_ANY, negated, prefix);
    }
}

bool search_asks(const struct search_query *q)
{
    return q->n || q->roles || q->not_roles || q->kinds || q->not_kinds || q->since || q->before ||
           *q->session || *q->project || q->branch || q->re;
}
