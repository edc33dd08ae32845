/* Recognizes the format of a SQLite file by its tables. */
#include "transfer/sources/tables.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "core/model/text.h"

enum { TABLES_MOST = 4096, TEXT_MOST = 65536 };

void tables_add(struct tables *t, struct bough_arena *a, const char *name)
{
    if (t->n == TABLES_MOST) /* no tool has this many; a missing table makes detection fail */
        return;
    t->at = arena_room(a, t->at, t->n, sizeof *t->at);
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

/* Set the prefix to what `table` has before `name`. False unless it ends in `name` and the prefix
 * needs no quoting. */
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
