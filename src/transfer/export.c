/* Exports: one session, several, or the whole store, each session once. */
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "transfer/export_session.h"

enum { PAGE = 500 };

/* Sessions that one file gets. */
struct exporting {
    struct bough_store *s;
    const struct bough_export_options *how;
    const struct format *f;
    struct smap done; /* ids of written sessions */
};

/* Write a session that was not written yet, after those it was forked from or spawned by. */
static enum bough_rc export_whole(struct exporting *x, const char *session, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    const char **line = NULL;
    struct bough_session *s;
    size_t n = 0;
    enum bough_rc rc = bough_session_get(x->s, a, session, &s, err);

    while (!rc && !smap_get(&x->done, str_of(s->id), NULL)) {
        line = arena_room(a, line, n, sizeof *line);
        line[n++] = s->id;
        smap_put(&x->done, str_of(s->id), 1);
        if (!*s->parent || x->f->writes != WRITES_OWN || x->how->alone)
            break;
        rc = bough_session_get(x->s, a, s->parent, &s, err);
    }
    while (!rc && n)
        rc = export_session(x->s, line[--n], x->f, x->how, err);
    bough_arena_destroy(a);
    return rc;
}

static enum bough_rc export_every(struct exporting *x, struct bough_error *err)
{
    struct bough_session_list_options filter = { .limit = PAGE, .include_deleted = true };
    struct bough_sessions page = { .next = "" };
    struct bough_arena *a = bough_arena_create(), *before = bough_arena_create(), *other;
    enum bough_rc rc = x->f->notes ? export_notes(x->s, x->f, x->how, err) : BOUGH_OK;

    do { /* the cursor of a page is in the arena of the page before */
        filter.cursor = page.next;
        if (!rc)
            rc = bough_session_list(x->s, a, &filter, &page, err);
        for (size_t i = 0; i < page.n && !rc; i++)
            rc = export_whole(x, page.at[i].id, err);
        bough_arena_reset(before);
        other = before;
        before = a;
        a = other;
    } while (!rc && *page.next);
    bough_arena_destroy(a);
    bough_arena_destroy(before);
    return rc;
}

static enum bough_rc find_format(const struct bough_export_options *how, const struct format **f,
                                 struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_export_options, how, err);

    if (rc)
        return rc;
    *f = format_find(how->format ? how->format : "");
    if (!*f || !(*f)->writes)
        return bough_fail(err, BOUGH_INVALID, "no format for export is called %.60s",
                          how->format ? how->format : "");
    REQUIRE(how->write, err);
    return BOUGH_OK;
}

enum bough_rc bough_export_notes(struct bough_store *s, const struct bough_export_options *how,
                                 struct bough_error *err)
{
    REQUIRE(s && how, err);

    const struct format *f;
    enum bough_rc rc = find_format(how, &f, err);

    return rc || !f->notes ? rc : export_notes(s, f, how, err);
}

enum bough_rc bough_export_session(struct bough_store *s, const char *session,
                                   const struct bough_export_options *how, struct bough_error *err)
{
    REQUIRE(s && how, err);

    struct exporting x = { .s = s, .how = how };
    enum bough_rc rc = find_format(how, &x.f, err);

    if (rc)
        return rc;
    smap_init(&x.done);
    rc = export_whole(&x, session, err);
    smap_finish(&x.done);
    return rc;
}

enum bough_rc bough_export_sessions(struct bough_store *s, const char *const *sessions, size_t n,
                                    const struct bough_export_options *how, struct bough_error *err)
{
    REQUIRE(s && how, err);

    struct exporting x = { .s = s, .how = how };
    enum bough_rc rc = find_format(how, &x.f, err);

    if (!rc && x.f->writes != WRITES_OWN)
        rc = bough_fail(err, BOUGH_INVALID, "a file of the format %s holds one session", x.f->name);
    if (!rc && !cstr_empty(how->at))
        rc = bough_fail(err, BOUGH_INVALID, "an entry is of one session, not of several");
    if (rc)
        return rc;
    smap_init(&x.done);
    if (!sessions)
        rc = export_every(&x, err);
    for (size_t i = 0; sessions && i < n && !rc; i++)
        rc = export_whole(&x, sessions[i], err);
    smap_finish(&x.done);
    return rc;
}
