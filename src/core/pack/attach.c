/* References from parts to attachments. Pure. */
#include "core/pack/attach.h"

#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/fields.h"

static const char prefix[] = "bough:sha256-";

enum { HEADER_MOST = 256 }; /* bytes of a header such as "data:image/png;name=x;base64," */

void attach_name(const unsigned char hash[32], char out[ATTACH_NAME_LEN + 1])
{
    memcpy(out, prefix, ATTACH_PREFIX_LEN);
    sha256_hex(hash, out + ATTACH_PREFIX_LEN);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool attach_parse(struct bough_str name, unsigned char hash[32])
{
    if (name.n != ATTACH_NAME_LEN || memcmp(name.p, prefix, ATTACH_PREFIX_LEN) != 0)
        return false;
    for (size_t i = 0; i < 32; i++) {
        int hi = digit(name.p[ATTACH_PREFIX_LEN + 2 * i]);
        int lo = digit(name.p[ATTACH_PREFIX_LEN + 2 * i + 1]);

        if (hi < 0 || lo < 0)
            return false;
        hash[i] = (unsigned char)(hi << 4 | lo);
    }
    return true;
}

bool attach_named(const struct bough_part *part, unsigned char hash[32], size_t *at)
{
    struct fields f;
    struct bough_str url;

    if (part->type != BOUGH_PART_FILE ||
        !memmem(part->json.p, part->json.n, prefix, ATTACH_PREFIX_LEN) ||
        fields_read(&f, part->json, NULL))
        return false;
    url = fields_raw(&f, "url", JSON_STRING);
    if (url.n != ATTACH_NAME_LEN + 2 || !attach_parse(str_make(url.p + 1, ATTACH_NAME_LEN), hash))
        return false;
    *at = (size_t)(url.p + 1 - part->json.p);
    return true;
}

/* A string without its data URL header; empty when it is a data URL without base64. */
static struct bough_str base64_in(struct bough_str s)
{
    size_t head = s.n < HEADER_MOST ? s.n : HEADER_MOST;
    const char *p;

    if (s.n < 5 || memcmp(s.p, "data:", 5) != 0)
        return s;
    p = memmem(s.p, head, ";base64,", 8);
    return p ? str_make(p + 8, s.n - (size_t)(p + 8 - s.p)) : str_make("", 0);
}

size_t attach_runs(const struct bough_part *part, size_t min, struct attach_run runs[ATTACH_RUNS])
{
    struct json_pull p;
    struct json_event ev;
    size_t n = 0;

    if (part->json.n < min || (part->type != BOUGH_PART_FILE && part->type != BOUGH_PART_TOOL))
        return 0;
    json_pull_init(&p, part->json);
    while (n < ATTACH_RUNS && json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type != JSON_DONE) {
        struct bough_str text;

        if (ev.type != JSON_VALUE || ev.value != JSON_STRING || ev.escaped || ev.raw.n < min + 2)
            continue;
        text = base64_in(str_make(ev.raw.p + 1, ev.raw.n - 2));
        if (text.n >= min && text.n % 4 == 0)
            runs[n++] = (struct attach_run){ (size_t)(text.p - part->json.p), text.n };
    }
    return n;
}

static const char *string_at(struct bough_arena *a, struct fields *f, const char *key)
{
    struct bough_str raw = fields_raw(f, key, JSON_STRING);
    struct bough_str s = raw.n ? json_span_str(a, raw) : str_of("");

    return arena_strndup(a, s.p, s.n);
}

/* The first of the keys with a value; the formats use different keys for the same field. */
static const char *first_of(struct bough_arena *a, struct fields *f, const char *const *keys)
{
    const char *s = "";

    for (; *keys && !*s; keys++)
        s = string_at(a, f, *keys);
    return s;
}

void attach_about(struct bough_arena *a, struct bough_str json, size_t at, const char **mime,
                  const char **name)
{
    static const char *const mimes[] = { "mime",       "mimeType",        "mediaType",
                                         "media_type", "image_mime_type", NULL };
    static const char *const names[] = { "filename", "file_name", "name", NULL };
    const char *begin = json.p + at, *p = begin;
    struct fields f, source;
    bool inner;

    *mime = *name = "";
    while (p > json.p && p[-1] != '"' && begin - p < HEADER_MOST)
        p--;
    if (begin - p > 13 && memcmp(p, "data:", 5) == 0)
        *mime = arena_strndup(a, p + 5, strcspn(p + 5, ";,\""));
    if (fields_read(&f, json, NULL))
        return;
    inner = fields_read(&source, fields_raw(&f, "source", JSON_OBJECT), NULL) == BOUGH_OK;
    if (!**mime)
        *mime = first_of(a, &f, mimes);
    if (!**mime && inner)
        *mime = first_of(a, &source, mimes);
    *name = first_of(a, &f, names);
}
