/* Ids of calls and names of tools as a target takes them. Pure. */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/turns/turns_in.h"

enum { DIGITS = 8 }; /* of a derived id or name, in base 36 */

/* 8 digits of 36 derived from the bytes and a number. */
static void digits_of(struct bough_str of, size_t nth, char out[DIGITS])
{
    static const char digit[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    unsigned char sum[32], number = (unsigned char)nth;
    struct sha256 h;
    uint64_t v = 0;

    sha256_init(&h);
    sha256_update(&h, of.p, of.n);
    for (; nth; nth >>= 8, number = (unsigned char)nth)
        sha256_update(&h, &number, 1);
    sha256_final(&h, sum);
    for (int i = 0; i < 8; i++)
        v = v << 8 | sum[i];
    for (int i = 0; i < DIGITS; i++, v /= 36)
        out[i] = digit[v % 36];
}

static bool is_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool id_fits(const struct turns_rules *rules, struct bough_str id)
{
    if (!id.n || id.n > rules->id_max)
        return false;
    for (size_t i = 0; i < id.n; i++) {
        unsigned char c = (unsigned char)id.p[i];

        if (rules->ids_loose ? c <= ' ' || c >= 0x7f || c == '"' || c == '\\' : !is_word(c))
            return false;
    }
    return true;
}

static struct bough_str inside(struct bough_str string)
{
    return string.n > 2 ? str_make(string.p + 1, string.n - 2) : str_make(NULL, 0);
}

static void make_id(struct building *b, struct piece *call)
{
    char *made;

    call->id = inside(call->s.call);
    if ((!b->rules->id_max && call->id.n) || (!call->nth && id_fits(b->rules, call->id)))
        return;
    made = arena_alloc(b->a, 1 + DIGITS);
    *made = 'c';
    digits_of(call->id, call->nth, made + 1);
    call->id = str_make(made, 1 + DIGITS);
}

static void make_name(struct building *b, struct piece *call)
{
    size_t max = b->rules->name_max;
    struct bough_str given = json_span_text(b->a, call->s.tool), was = given;
    bool letter;
    char *name;
    size_t n = 0;

    if (!was.n)
        was = str_of("unknown");
    name = arena_alloc(b->a, was.n + 1);
    letter = is_word((unsigned char)*was.p) && *was.p != '-' && (*was.p < '0' || *was.p > '9');
    if (b->rules->name_letter && !letter && is_word((unsigned char)*was.p))
        name[n++] = '_';
    for (size_t i = 0; i < was.n; i++)
        name[n++] = is_word((unsigned char)was.p[i]) ? was.p[i] : '_';
    if (n > max) { /* names that begin alike stay apart */
        name[max - DIGITS - 1] = '_';
        digits_of(was, 0, name + max - DIGITS);
        n = max;
    }
    call->name = str_make(name, n);
    if (!str_eq(call->name, given))
        turns_note(b, call->e, "converted", "a tool is called %.*s here", (int)n, name);
}

/* The name needs no change and no copy. */
static bool name_fits(const struct turns_rules *rules, struct bough_str name)
{
    if (!name.n || (rules->name_max && name.n > rules->name_max))
        return false;
    if (rules->name_letter && (*name.p == '-' || (*name.p >= '0' && *name.p <= '9')))
        return false;
    for (size_t i = 0; rules->name_max && i < name.n; i++)
        if (!is_word((unsigned char)name.p[i]))
            return false;
    return true;
}

void call_name(struct building *b, struct piece *call)
{
    make_id(b, call);
    call->name = inside(call->s.tool);
    if (name_fits(b->rules, call->name))
        return;
    if (b->rules->name_max)
        make_name(b, call);
    else
        call->name = str_of("unknown");
}
