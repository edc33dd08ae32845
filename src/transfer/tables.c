/* The tables of a SQLite file: which format has these. */
#include "transfer/tables.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "core/text.h"

enum { TABLES_MOST = 4096, TEXT_MOST = 65536 };

void tables_add(struct tables *t, struct bough_arena *a, const char *name)
{
    if (t->n == TABLES_MOST) /* no tool has so many; a missing one is said */
        return;
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 32;

        t->at = arena_resize(a, t->at, t->cap * sizeof *t->at, cap * sizeof *t->at);
        t->cap = cap;
    }
    t->at[t->n++] = arena_strdup(a, name);
}

bool tables_have(const struct tables *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->at[i], name) == 0)
            return true;
    return false;
}

const char *tables_text(const struct tables *t, struct bough_arena *a, const char *text)
{
    const char *out;
    struct buf b;

    if (!strchr(text, '$'))
        return text;
    buf_init(&b, TEXT_MOST);
    for (; *text; text++)
        if (*text == '$')
            buf_puts(&b, t->prefix);
        else
            buf_putc(&b, *text);
    out = text_keep(a, &b).p;
    buf_finish(&b);
    return out;
}

static bool has_all(const struct tables *t, struct bough_arena *a, const struct format_rows *rows)
{
    for (size_t i = 0; rows->tables[i]; i++)
        if (!tables_have(t, tables_text(t, a, rows->tables[i])))
            return false;
    return true;
}

/* What a table's name has before the one that is looked for: letters that need no quoting. */
static bool take_prefix(struct tables *t, const char *table, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t len = strlen(table), n = strlen(name);

    if (len < n || len - n >= sizeof t->prefix || strcmp(table + len - n, name) != 0)
        return false;
    memcpy(t->prefix, table, len - n);
    t->prefix[len - n] = '\0';
    return strspn(t->prefix, plain) == len - n;
}

static bool is_of(struct tables *t, struct bough_arena *a, const struct format_rows *rows)
{
    t->prefix[0] = '\0';
    if (rows->tables[0][0] != '$')
        return has_all(t, a, rows);
    for (size_t i = 0; i < t->n; i++)
        if (take_prefix(t, t->at[i], rows->tables[0] + 1) && has_all(t, a, rows))
            return true;
    return false;
}

const struct format *tables_format(struct tables *t, struct bough_arena *a, const char *name)
{
    for (size_t i = 0; all_formats[i]; i++)
        if (all_formats[i]->rows && (!name || strcmp(all_formats[i]->name, name) == 0) &&
            is_of(t, a, all_formats[i]->rows))
            return all_formats[i];
    return NULL;
}
