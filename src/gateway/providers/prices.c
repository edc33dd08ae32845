/* The [price "provider/pattern"] sections of the configuration, as rows of a table of prices. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/price/price.h"
#include "gateway/providers/provider.h"

enum { CSV_MOST = 1 << 20 };
#define ALWAYS "2000-01-01" /* valid_from, if none was given */

struct price_reading {
    struct bough_arena *a;
    const struct gateway_setting *settings;
    size_t n;
    struct price_table own;
    struct bough_error *err;
};

/* One section: what it is about, and the first of its lines. */
struct price_section {
    const char *provider, *model;
    const struct gateway_setting *first;
};

/* ---- sections ---- */

static bool is_setting(const char *name)
{
    for (enum price_cell i = 0; i < PRICE_CELLS; i++)
        if (strcmp(name, price_cell_name(i)) == 0)
            return true;
    return strcmp(name, "valid_from") == 0 || strcmp(name, "note") == 0;
}

/* False: it is not `price "provider/model"`. */
static bool read_section(struct price_reading *r, const struct gateway_setting *s,
                         struct price_section *out)
{
    static const char begin[] = "price \"";
    size_t n = strlen(s->section), skip = sizeof begin - 1;
    const char *of, *slash;

    if (strncmp(s->section, begin, skip) != 0 || n < skip + 2 || s->section[n - 1] != '"')
        return false;
    of = arena_strndup(r->a, s->section + skip, n - skip - 1);
    slash = strchr(of, '/');
    if (!slash || slash == of || !slash[1] || strpbrk(of, ",\""))
        return false;
    *out = (struct price_section){ arena_strndup(r->a, of, (size_t)(slash - of)), slash + 1, s };
    return true;
}

static const char *value_of(const struct price_reading *r, const struct price_section *s,
                            const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->settings[i].section, s->first->section) == 0 &&
            strcmp(r->settings[i].name, name) == 0)
            value = r->settings[i].value;
    return value;
}

/* ---- rows ---- */

static const char *day_of(struct bough_arena *a, int64_t time)
{
    char text[ISO_TEXT];

    iso_print(time, text);
    return arena_strndup(a, text, 10);
}

/* Our own row for such a model at a time: cells that the section does not set are taken from it. */
static const struct price *own_row(const struct price_reading *r, const struct price_section *s,
                                   int64_t time)
{
    const char *name = arena_strndup(r->a, s->model, strcspn(s->model, "*"));

    return price_find(&r->own, s->provider, name, time);
}

static void put_cell(const struct price_reading *r, struct buf *b, const struct price_section *s,
                     enum price_cell cell, const struct price *own)
{
    const char *value = value_of(r, s, price_cell_name(cell));

    buf_putc(b, ',');
    if (value)
        buf_puts(b, value);
    else if (own && own->cell[cell] >= 0 && cell == PRICE_OVER_TOKENS)
        buf_printf(b, "%" PRId64, own->cell[cell]);
    else if (own && own->cell[cell] >= 0)
        buf_printf(b, "%" PRId64 ".%03" PRId64, own->cell[cell] / 1000, own->cell[cell] % 1000);
}

static void put_row(const struct price_reading *r, struct buf *b, const struct price_section *s,
                    const char *day, const struct price *own)
{
    const char *note = value_of(r, s, "note");

    buf_printf(b, "%s,%s,%s", s->provider, s->model, day);
    for (enum price_cell i = 0; i < PRICE_CELLS; i++)
        put_cell(r, b, s, i, own);
    buf_printf(b, ",configuration,%s\n", note ? note : "");
}

/* A row from the day of the section on, and one for each later day on which our own table has
 * another price for it: of two rows of a day, that of the configuration counts. */
static void put_rows(const struct price_reading *r, struct buf *b, const struct price_section *s)
{
    const char *given = value_of(r, s, "valid_from"), *from = given ? given : ALWAYS;
    int64_t begin = iso_parse(arena_printf(r->a, "%sT00:00:00Z", from));

    put_row(r, b, s, from, own_row(r, s, begin));
    for (size_t i = 0; i < r->own.n; i++) {
        const struct price *own = &r->own.at[i];

        if (own->from > begin && own_row(r, s, own->from) == own)
            put_row(r, b, s, day_of(r->a, own->from), own);
    }
}

static void put_names(struct buf *b)
{
    buf_puts(b, "provider,model,valid_from");
    for (enum price_cell i = 0; i < PRICE_CELLS; i++)
        buf_printf(b, ",%s", price_cell_name(i));
    buf_puts(b, ",source,note\n");
}

/* ---- the whole ---- */

static enum bough_rc check_line(struct price_reading *r, const struct gateway_setting *s)
{
    const char *why = !is_setting(s->name)           ? "there is no such price"
                      : strpbrk(s->value, ",\"\r\n") ? "there must be no comma and no quote"
                                                     : NULL;

    return why ? bough_fail(r->err, BOUGH_INVALID, "[%.60s] %.40s: %s", s->section, s->name, why)
               : BOUGH_OK;
}

/* A section is read as a table of its own first, so that the error can name it. */
static enum bough_rc check_section(struct price_reading *r, const struct price_section *s)
{
    struct bough_error inner;
    struct price_table t = { NULL, 0 };
    enum bough_rc rc;
    const char *what;
    struct buf b;

    buf_init(&b, CSV_MOST);
    put_names(&b);
    put_rows(r, &b, s);
    rc = price_table_read(r->a, buf_str(&b), &t, &inner);
    buf_finish(&b);
    if (rc) {
        what = strstr(inner.msg, ": ");
        return bough_fail(r->err, BOUGH_INVALID, "[%.60s]: %s", s->first->section,
                          what ? what + 2 : inner.msg);
    }
    /* The row of the first day may be older than our own prices; the last one must be whole. */
    if (t.n && (t.at[t.n - 1].cell[PRICE_INPUT] < 0 || t.at[t.n - 1].cell[PRICE_OUTPUT] < 0))
        return bough_fail(r->err, BOUGH_INVALID, "[%.60s]: input and output are needed",
                          s->first->section);
    return BOUGH_OK;
}

static bool seen_before(const struct price_reading *r, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(r->settings[i].section, r->settings[at].section) == 0)
            return true;
    return false;
}

static enum bough_rc read_line(struct price_reading *r, size_t at, struct buf *b)
{
    struct price_section s;
    enum bough_rc rc;

    if (!read_section(r, &r->settings[at], &s))
        return bough_fail(r->err, BOUGH_INVALID, "[%.60s]: expected [price \"provider/model\"]",
                          r->settings[at].section);
    rc = check_line(r, &r->settings[at]);
    if (rc || seen_before(r, at))
        return rc;
    rc = check_section(r, &s);
    if (!rc)
        put_rows(r, b, &s);
    return rc;
}

enum bough_rc prices_read(struct bough_arena *a, const struct gateway_setting *settings, size_t n,
                          struct bough_str *csv, struct bough_error *err)
{
    struct price_reading r = { .a = a, .settings = settings, .n = n, .err = err };
    enum bough_rc rc = BOUGH_OK;
    bool any = false;
    struct buf b;

    *csv = str_of("");
    buf_init(&b, CSV_MOST);
    put_names(&b);
    for (size_t i = 0; i < n && !rc; i++) {
        if (strncmp(settings[i].section, "price", 5) != 0)
            continue;
        if (!any)
            r.own = price_table_own(a);
        any = true;
        rc = read_line(&r, i, &b);
    }
    if (!rc && b.over)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "there are too many [price ...] sections");
    if (!rc && any)
        *csv = arena_str(a, buf_str(&b));
    buf_finish(&b);
    return rc;
}

struct bough_str providers_price_rows(struct providers *p, struct bough_arena *a)
{
    struct provider_set *set = set_hold(p);
    struct bough_str rows = arena_str(a, set->prices);

    set_release(p, set);
    return rows;
}

enum bough_rc providers_prices(struct providers *p, struct bough_arena *a, struct price_table *out,
                               struct bough_error *err)
{
    return price_table_with(a, providers_price_rows(p, a), out, err);
}
