/* Strict validators: what the dialects share. */
#include "lib/strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/strict_in.h"

bool strict_no(struct strict *s, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!s->why)
        s->why = arena_printf(s->a, "message %zu: %s", s->at, text);
    return false;
}

bool strict_is(struct json j, const char *name, const char *value)
{
    return json_is(json_member(j, name), value);
}

bool strict_keys(struct strict *s, struct json object, const char *const *names)
{
    struct json_iter it = json_iter(object);
    struct json found;

    if (json_type(object) != JSON_OBJECT)
        return strict_no(s, "not an object");
    while (json_next(&it)) {
        size_t i = 0;

        while (names[i] && !json_is(it.key, names[i] + (*names[i] == '!')))
            i++;
        if (!names[i])
            return strict_no(s, "unknown key %.*s", (int)json_raw(it.key).n, json_raw(it.key).p);
    }
    for (size_t i = 0; names[i]; i++)
        if (*names[i] == '!' && !json_get(object, names[i] + 1, &found))
            return strict_no(s, "%s is missing", names[i] + 1);
    return true;
}

bool strict_text(struct strict *s, struct json text, const char *what)
{
    struct bough_str value;

    if (!json_str(s->a, text, &value))
        return strict_no(s, "%s is not a string", what);
    for (size_t i = 0; i < value.n; i++)
        if (!strchr(" \t\r\n\f\v", value.p[i]) || !value.p[i])
            return true;
    return strict_no(s, "%s is empty", what);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool strict_call_id(struct strict *s, struct json id, const char *name, size_t most, bool words)
{
    struct strict_id *one;
    struct bough_str value;

    if (!json_str(s->a, id, &value) || !value.n || value.n > most)
        return strict_no(s, "the id of a call is missing, or longer than %zu", most);
    for (size_t i = 0; i < value.n; i++)
        if (words ? !is_word(value.p[i]) : value.p[i] <= ' ' || value.p[i] > '~')
            return strict_no(s, "the id of a call has a character that is not allowed: %s",
                             value.p);
    for (one = s->ids; one; one = one->next)
        if (strcmp(one->id, value.p) == 0)
            return strict_no(s, "two calls have the id %s", value.p);
    one = arena_zalloc(s->a, sizeof *one);
    *one = (struct strict_id){ s->ids, value.p, name, false };
    s->ids = one;
    return true;
}

bool strict_name(struct strict *s, struct json name, size_t most, bool letter)
{
    struct bough_str value;

    if (!json_str(s->a, name, &value) || !value.n || value.n > most)
        return strict_no(s, "the name of a tool is missing, or longer than %zu", most);
    for (size_t i = 0; i < value.n; i++)
        if (!is_word(value.p[i]))
            return strict_no(s, "the name of a tool is %s", value.p);
    if (letter && (*value.p == '-' || (*value.p >= '0' && *value.p <= '9')))
        return strict_no(s, "the name of a tool begins with %c", *value.p);
    return true;
}

bool strict_arguments(struct strict *s, struct json text)
{
    struct bough_str value;
    struct json j;

    if (!json_str(s->a, text, &value))
        return strict_no(s, "arguments are not a string");
    if (json_parse(s->a, value, &j, NULL) || json_type(j) != JSON_OBJECT)
        return strict_no(s, "arguments are no object: %.100s", value.p);
    return true;
}

bool strict_base64(struct strict *s, struct json data)
{
    struct bough_str value;
    size_t n;

    if (!json_str(s->a, data, &value) || !value.n || value.n % 4)
        return strict_no(s, "base64 is missing or cut");
    n = value.n;
    while (n > value.n - 2 && value.p[n - 1] == '=')
        n--;
    for (size_t i = 0; i < n; i++)
        if ((!is_word(value.p[i]) || value.p[i] == '_' || value.p[i] == '-') && value.p[i] != '+' &&
            value.p[i] != '/')
            return strict_no(s, "base64 has a character that is none");
    return true;
}

bool strict_url(struct strict *s, struct json url)
{
    struct bough_str value;
    const char *comma;

    if (!json_str(s->a, url, &value))
        return strict_no(s, "a URL is not a string");
    if (str_starts(value, "https://") || str_starts(value, "http://"))
        return true;
    comma = strchr(value.p, ',');
    if (!str_starts(value, "data:") || !comma || comma - value.p < 8 ||
        memcmp(comma - 7, ";base64", 7) != 0 || !comma[1])
        return strict_no(s, "a URL that cannot be fetched: %.60s", value.p);
    return true;
}

/* Half of a surrogate pair, as an escape: providers refuse such JSON. */
static bool has_half_pair(struct bough_str text)
{
    for (size_t i = 0; i + 6 <= text.n; i++) {
        unsigned v = 0, low = 0;

        if (text.p[i] != '\\')
            continue;
        if (text.p[i + 1] != 'u') {
            i++;
            continue;
        }
        sscanf(text.p + i + 2, "%4x", &v);
        i += 5;
        if (v < 0xd800 || v > 0xdfff)
            continue;
        if (v > 0xdbff || i + 7 > text.n || text.p[i + 1] != '\\' || text.p[i + 2] != 'u')
            return true;
        sscanf(text.p + i + 3, "%4x", &low);
        if (low < 0xdc00 || low > 0xdfff)
            return true;
        i += 6;
    }
    return false;
}

const char *strict_check(struct bough_arena *a, const char *dialect,
                         const struct bough_context_result *c, bool trailing)
{
    static const struct {
        const char *name;
        void (*check)(struct strict *s, struct json messages);
    } all[] = {
        { "openai-chat", strict_chat },
        { "openai-responses", strict_responses },
        { "anthropic", strict_anthropic },
        { "gemini", strict_gemini },
    };
    struct strict s = { .a = a, .trailing = trailing };
    struct bough_error err = { 0 };
    struct json j, system;

    if (json_parse(a, c->messages, &j, &err) || json_type(j) != JSON_ARRAY)
        return arena_printf(a, "no JSON array: %s", err.msg);
    if (c->system.n && json_parse(a, c->system, &system, &err))
        return arena_printf(a, "the system text is no JSON: %s", err.msg);
    if (has_half_pair(c->messages) || has_half_pair(c->system))
        return "half of a surrogate pair";
    if (json_count(j) != c->count)
        return "the count is wrong";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, dialect) == 0) {
            all[i].check(&s, j);
            return s.why;
        }
    return "no such dialect";
}
