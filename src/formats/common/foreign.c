/* Entries that another tool wrote, as turns; and the marks by which an import knows them again. */
#include "formats/common/foreign.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"

/* The model of the last answer, to which reasoning that it signed may go. */
static const char *last_model(struct writing *w, const struct written_run *run)
{
    const char *provider, *model = NULL;

    for (size_t i = run->n; i-- > 0 && !model;)
        if (run->entries[i].role == BOUGH_ROLE_ASSISTANT)
            answer_model(w, &run->entries[i], &provider, &model);
    return model;
}

/* A compaction that a later one reaches over does not count, and no tool could tell it. */
static void drop_markers(struct turns *turns)
{
    const struct turn *last = NULL;

    for (const struct turn *t = turns->first; t; t = t->next)
        if (t->kind == TURN_MARKER)
            last = t;
    for (struct turn **at = &turns->first; last && *at;) {
        struct turn *t = *at;

        if (t->kind == TURN_MARKER && t != last && t->at >= last->kept)
            *at = t->next;
        else
            at = &t->next;
    }
}

void foreign_turns(struct writing *w, const struct written_run *run,
                   const struct turns_rules *rules, struct turns *out)
{
    struct turns_input in = { .entries = run->entries,
                              .n = run->n,
                              .whole = true,
                              .to_model = last_model(w, run),
                              .trailing = true };

    overlays_apply(w->a, &in, true);
    turns_build(w->a, &in, rules, out);
    drop_markers(out);
}

bool foreign_usage(const struct written_run *run, const struct turn *t, size_t *done,
                   struct bough_totals *out)
{
    size_t end = *done;
    bool any = false;

    *out = (struct bough_totals){ 0 };
    for (const struct piece *p = t->first; p; p = p->next)
        end = p->at + 1 > end ? p->at + 1 : end;
    for (size_t i = *done; i < end && i < run->n; i++) {
        if (run->entries[i].usage && totals_add(out, run->entries[i].usage))
            any = true;
    }
    *done = end;
    return any;
}

/* ---- marks ---- */

const char *entry_name(const struct bough_entry *e)
{
    return *e->origin ? e->origin : e->id;
}

const char *session_name(const struct bough_session *s)
{
    return *s->origin ? s->origin : s->id;
}

void foreign_mark(struct writing *w, struct json_writer *jw, const struct bough_entry *e,
                  const char *as)
{
    jw_kv_cstr(jw, FOREIGN_ENTRY, entry_name(e));
    if (as)
        jw_kv_cstr(jw, FOREIGN_SESSION, arena_printf(w->a, "%s %s", session_name(w->session), as));
}

const char *foreign_entry(struct bough_arena *a, struct json line)
{
    const char *id = json_cstr(a, line, FOREIGN_ENTRY);

    return cstr_empty(id) ? NULL : id;
}

const char *foreign_session(struct bough_arena *a, struct json line, const char *id, bool *copy)
{
    const char *mark = json_cstr(a, line, FOREIGN_SESSION);
    const char *space = mark ? strrchr(mark, ' ') : NULL;

    if (!space || space == mark)
        return NULL;
    *copy = !cstr_eq(space + 1, id);
    return arena_strndup(a, mark, (size_t)(space - mark));
}
