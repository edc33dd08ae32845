/* Reads pi's session files for tests: lines to entries, and the path to a leaf. */
#include "pi_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <bough/part.h>

#include "base/hash/sha256.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/dialect.h"
#include "core/model/names.h"
#include "core/model/text.h"

enum { MAX_FILE = 4 << 20 };

static const char *corpora(void)
{
    const char *root = getenv("BOUGH_CORPORA");

    return root ? root : "../shared/corpora";
}

bool corpora_here(void)
{
    static bool said;

    if (access(corpora(), R_OK) == 0)
        return true;
    if (!said)
        printf("# NOTE the corpora are not here (BOUGH_CORPORA): only tests/data is used\n");
    said = true;
    return false;
}

const char *corpus_text(struct test *t, const char *path, size_t *n)
{
    bool ours = strncmp(path, "tests/data/", 11) == 0;
    char *p = arena_alloc(t->arena, MAX_FILE);
    FILE *f = fopen(ours ? path : arena_printf(t->arena, "%s/%s", corpora(), path), "rb");

    if (!f && ours)
        SKIP("run from the top of the source tree");
    if (!f)
        return NULL;
    *n = fread(p, 1, MAX_FILE - 1, f);
    p[*n] = '\0';
    fclose(f);
    return p;
}

static int64_t time_of(const char *iso)
{
    struct tm tm = { 0 };
    int ms = 0;

    if (!iso || sscanf(iso, "%d-%d-%dT%d:%d:%d.%dZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                       &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) < 6)
        return 0;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    return (int64_t)timegm(&tm) * 1000 + ms;
}

/* All members except those in `without`, raw; plus the original `content`. */
static struct bough_str data_of(struct test *t, struct json j, const char *const *without,
                                const char *content)
{
    struct json_iter it = json_iter(j);
    struct bough_str out;
    struct json_writer w;
    struct buf b;

    buf_init(&b, MAX_FILE);
    jw_init(&w, &b);
    jw_obj(&w);
    while (json_next(&it)) {
        struct bough_str key;
        size_t i;

        json_str(t->arena, it.key, &key);
        for (i = 0; without[i] && !str_is(key, without[i]); i++)
            continue;
        if (without[i])
            continue;
        jw_key_str(&w, key);
        jw_raw(&w, json_raw(it.value));
    }
    if (content)
        jw_kv_cstr(&w, CONTEXT_CONTENT_KEY, content);
    jw_end_obj(&w);
    out = text_keep(t->arena, &b);
    buf_finish(&b);
    return out;
}

static void read_message(struct test *t, struct bough_entry *e, struct json m)
{
    static const char *const without[] = { "content", NULL };
    struct json content = json_member(m, "content");
    const char *was = json_type(content) == JSON_STRING ? "string" : NULL;
    struct bough_part *parts;
    struct bough_str *raw;
    size_t i;

    if (!json_get(m, "content", &content))
        was = "none";
    else if (json_type(content) == JSON_NULL)
        was = "null";
    e->role = bough_role_parse(json_cstr(t->arena, m, "role"));
    e->data = data_of(t, m, without, was);
    if (was && *was == 'n')
        return;
    CHECK_OK(bough_parts_split(t->arena, json_raw(content), &raw, &e->nparts, &t->err));
    parts = arena_array(t->arena, e->nparts + 1, sizeof *parts);
    for (i = 0; i < e->nparts; i++) {
        parts[i].json = raw[i];
        CHECK_OK(bough_part_check(raw[i], &parts[i].type, &t->err));
    }
    e->parts = parts;
}

static void read_line(struct test *t, struct pi_file *f, struct json j, bool old)
{
    static const char *const without[] = { "type", "id", "parentId", "timestamp", NULL };
    struct bough_entry *e = &f->at[f->n];
    const char *word = json_cstr(t->arena, j, "type");

    snprintf(e->id, sizeof e->id, "%026zu", f->n + 1);
    e->kind = entry_kind_parse(word);
    e->kind_name = word ? word : "";
    e->session = e->finish = "";
    e->time = time_of(json_cstr(t->arena, j, "timestamp"));
    if (old) { /* version 1: no ids, one branch */
        e->origin = arena_printf(t->arena, "#%zu", f->n + 1);
        f->parents[f->n] = f->n ? f->at[f->n - 1].origin : NULL;
    } else {
        e->origin = json_cstr(t->arena, j, "id");
        f->parents[f->n] = json_cstr(t->arena, j, "parentId");
    }
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        read_message(t, e, json_member(j, "message"));
    else
        e->data = data_of(t, j, without, NULL);
    f->n++;
}

struct pi_file pi_corpus_read(struct test *t, const char *path)
{
    size_t n = 0, lines = 1, i;
    const char *text = corpus_text(t, path, &n), *end;
    struct pi_file f = { 0 };
    bool old = false, header = false;
    struct json j;

    if (!text)
        FAIL("no %s", path);
    for (i = 0; i < n; i++)
        lines += text[i] == '\n';
    f.at = arena_array(t->arena, lines, sizeof *f.at);
    f.parents = arena_array(t->arena, lines, sizeof *f.parents);
    for (; n; n -= (size_t)(end - text), text = end) {
        struct bough_str line;

        end = memchr(text, '\n', n);
        end = end ? end + 1 : text + n;
        line = text_clean(t->arena, text_trim(str_make(text, (size_t)(end - text))));
        if (json_parse(t->arena, line, &j, NULL) != BOUGH_OK)
            continue; /* pi skips lines that are not JSON */
        if (header) {
            read_line(t, &f, j, old);
            continue;
        }
        header = true;
        old = json_type(json_member(j, "version")) == JSON_NULL;
    }
    return f;
}

static const struct bough_entry *find(const struct pi_file *f, const char *id, const char **parent)
{
    size_t i;

    for (i = f->n; id && i-- > 0;) { /* a later entry with the same id wins */
        if (cstr_eq(f->at[i].origin, id)) {
            *parent = f->parents[i];
            return &f->at[i];
        }
    }
    return NULL;
}

/* The depth from which a compaction keeps entries, found as an importer does. */
static int64_t keep_from(struct test *t, const struct bough_entry *path, size_t n, size_t at)
{
    struct json data;
    const char *id;
    int64_t index;
    size_t i;

    CHECK_OK(json_parse(t->arena, path[at].data, &data, &t->err));
    id = json_cstr(t->arena, data, "firstKeptEntryId");
    if (json_i64(json_member(data, "firstKeptEntryIndex"), &index))
        id = arena_printf(t->arena, "#%lld", (long long)index); /* index 0 is the header */
    for (i = 0; i < at && i < n; i++) {
        if (entry_has_id(&path[i], id))
            return path[i].at.depth;
    }
    return 0;
}

struct bough_entry *pi_corpus_path(struct test *t, const struct pi_file *f, const char *leaf,
                                   size_t *n)
{
    struct bough_entry *path = arena_array(t->arena, f->n + 1, sizeof *path);
    const struct bough_entry *e;
    const char *parent = NULL;
    size_t i, at = f->n;

    for (e = find(f, leaf, &parent); e && at; e = find(f, parent, &parent))
        path[--at] = *e;
    path += at;
    *n = f->n - at;
    for (i = 0; i < *n; i++)
        path[i].at = (struct bough_head){ 1, (int64_t)i + 1 };
    for (i = 0; i < *n; i++) {
        if (path[i].kind == BOUGH_ENTRY_COMPACTION)
            path[i].keep_from = keep_from(t, path, *n, i);
    }
    return path;
}

/* ---- JSON as JavaScript prints it ---- */

static void js_number(struct buf *out, double v)
{
    char digits[32], text[64];
    int precision = 0, exponent, len, i;

    if (v == 0 || (v == floor(v) && fabs(v) < 1e15)) {
        buf_printf(out, "%.0f", v == 0 ? 0.0 : v);
        return;
    }
    do {
        snprintf(text, sizeof text, "%.*e", precision++, fabs(v));
    } while (strtod(text, NULL) != fabs(v));
    exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    for (i = len = 0; text[i] != 'e'; i++) {
        if (text[i] != '.')
            digits[len++] = text[i];
    }
    digits[len] = '\0';
    if (v < 0)
        buf_putc(out, '-');
    if (exponent < -7 || exponent >= 21) {
        buf_printf(out, "%c%s%s", digits[0], len > 1 ? "." : "", digits + 1);
        buf_printf(out, "e%+d", exponent);
    } else if (exponent < 0) {
        buf_printf(out, "0.%.*s%s", -exponent - 1, "000000000", digits);
    } else {
        for (i = 0; i < len || i <= exponent; i++) {
            if (i == exponent + 1)
                buf_putc(out, '.');
            buf_put(out, i < len ? &digits[i] : "0", 1);
        }
    }
}

static void js_string(struct buf *out, struct bough_str s)
{
    static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
    const char *known;
    size_t i;

    buf_putc(out, '"');
    for (i = 0; i < s.n; i++) {
        known = s.p[i] ? strchr(from, s.p[i]) : NULL;
        if (known)
            buf_printf(out, "\\%c", to[known - from]);
        else if ((unsigned char)s.p[i] < 0x20)
            buf_printf(out, "\\u%04x", s.p[i]);
        else
            buf_putc(out, s.p[i]);
    }
    buf_putc(out, '"');
}

struct member {
    struct bough_str key;
    struct json value;
};

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static void js_value(struct bough_arena *a, struct buf *out, struct json j)
{
    struct member *m = arena_array(a, json_count(j) + 1, sizeof *m);
    struct json_iter it = json_iter(j);
    struct bough_str s;
    size_t i, n;
    double v;

    if (json_f64(j, &v)) {
        js_number(out, v);
        return;
    }
    if (json_str(a, j, &s)) {
        js_string(out, s);
        return;
    }
    if (json_type(j) != JSON_ARRAY && json_type(j) != JSON_OBJECT) {
        buf_put_str(out, json_raw(j));
        return;
    }
    for (n = 0; json_next(&it); n++) {
        m[n].value = it.value;
        if (json_type(j) == JSON_OBJECT)
            json_str(a, it.key, &m[n].key);
    }
    if (json_type(j) == JSON_OBJECT)
        qsort(m, n, sizeof *m, by_key);
    buf_putc(out, json_type(j) == JSON_OBJECT ? '{' : '[');
    for (i = 0; i < n; i++) {
        if (i)
            buf_putc(out, ',');
        if (json_type(j) == JSON_OBJECT) {
            js_string(out, m[i].key);
            buf_putc(out, ':');
        }
        js_value(a, out, m[i].value);
    }
    buf_putc(out, json_type(j) == JSON_OBJECT ? '}' : ']');
}

void pi_corpus_hash(struct bough_str json, char out[65])
{
    struct bough_arena *a = bough_arena_create();
    unsigned char sum[SHA256_LEN];
    struct json j;
    struct buf b;

    buf_init(&b, 4 * MAX_FILE);
    if (json_parse(a, json, &j, NULL) == BOUGH_OK)
        js_value(a, &b, j);
    sha256(b.p, b.n, sum);
    sha256_hex(sum, out);
    buf_finish(&b);
    bough_arena_destroy(a);
}
