/* Picks: the results that belong to picked calls, and results without their call. */
#include "base/limits.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "store/lookup/path.h"
#include "store/tree/pick.h"

enum { PAGE = 64, MOST = 4096 }; /* messages that are looked at: in a page, and in all */
enum { WAITS = 1, ANSWERED = 2 };

/* A call in an entry, or the result of one. */
struct use {
    const char *call;
    bool result;
};

/* A part that is a call and its result in one is whole: it is left out. */
static struct use *uses_of(struct bough_arena *a, const struct bough_entry *e, size_t *n)
{
    struct use *out = arena_array(a, e->nparts + 1, sizeof *out);
    struct part_view *views = view_parts(a, e);
    const char *whole = view_message_call(a, e);

    *n = 0;
    if (*whole)
        out[(*n)++] = (struct use){ whole, true };
    for (size_t i = 0; i < e->nparts && !*whole; i++)
        if ((views[i].kind == VIEW_CALL || views[i].kind == VIEW_RESULT) && *views[i].call)
            out[(*n)++] = (struct use){ views[i].call, views[i].kind == VIEW_RESULT };
    return out;
}

/* ---- results come along ---- */

struct calls {
    struct smap by_id; /* WAITS or ANSWERED */
    size_t waiting;
};

/* Take the uses of an entry into account. False: it has no result of a call that waits. */
static bool calls_take(struct calls *c, struct bough_arena *a, const struct bough_entry *e,
                       bool with_calls)
{
    size_t n;
    struct use *uses = uses_of(a, e, &n);
    bool answers = false;
    uint64_t state;

    for (size_t i = 0; i < n; i++) {
        bool known = smap_get(&c->by_id, str_of(uses[i].call), &state);

        if (uses[i].result && known && state == WAITS) {
            smap_put(&c->by_id, str_of(uses[i].call), ANSWERED);
            c->waiting--;
            answers = true;
        } else if (!uses[i].result && with_calls && !known) {
            smap_put(&c->by_id, str_of(uses[i].call), WAITS);
            c->waiting++;
        }
    }
    return answers;
}

static bool is_picked(const struct picked *list, struct bough_head at)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i]->at.branch == at.branch && list->at[i]->at.depth == at.depth)
            return true;
    return false;
}

static void picked_insert(struct picked *list, struct bough_entry *e)
{
    size_t i = list->n;

    list->at = arena_room(list->a, list->at, list->n, sizeof *list->at);
    for (; i > 0 && list->at[i - 1]->at.depth > e->at.depth; i--)
        list->at[i] = list->at[i - 1];
    list->at[i] = e;
    list->n++;
}

/* Add the answers in a page of the path. *over: a new turn of the user began. */
static void take_page(struct calls *c, struct picked *list, struct entry_list *page, bool *over)
{
    size_t n;

    for (size_t i = 0; i < page->n && c->waiting && !*over; i++) {
        struct bough_entry *e = &page->at[i];

        if (is_picked(list, e->at))
            continue;
        if (calls_take(c, list->a, e, false)) {
            picked_insert(list, e);
            continue;
        }
        uses_of(list->a, e, &n);
        *over = e->role == BOUGH_ROLE_USER && !n && e->at.depth > list->at[list->n - 1]->at.depth;
    }
}

enum bough_rc pick_results(struct snap *snap, struct bough_head end, struct picked *list,
                           struct bough_error *err)
{
    const struct path_filter messages = { .kinds = 1 << BOUGH_ENTRY_MESSAGE, .limit = PAGE };
    struct calls c = { .waiting = 0 };
    int64_t from = list->at[0]->at.depth + 1;
    bool more = true, over = false;
    enum bough_rc rc = BOUGH_OK;

    smap_init(&c.by_id);
    for (size_t i = 0; i < list->n; i++)
        calls_take(&c, list->a, list->at[i], true);
    for (int seen = 0; c.waiting && more && !over && seen < MOST && !rc; seen += PAGE) {
        struct entry_list page = { .a = list->a };
        struct segs segs;

        if (from > end.depth)
            break;
        rc = path_segs(snap, list->a, end, from, &segs, err);
        if (!rc)
            rc = path_read(snap, &segs, &messages, &page, &more, err);
        if (rc || !page.n)
            break;
        take_page(&c, list, &page, &over);
        from = page.at[page.n - 1].at.depth + 1;
    }
    smap_finish(&c.by_id);
    return rc;
}

/* ---- results without their call ---- */

static bool has_call(struct bough_arena *a, const struct bough_entry *e, const char *call)
{
    size_t n;
    struct use *uses = uses_of(a, e, &n);

    for (size_t i = 0; i < n; i++)
        if (!uses[i].result && cstr_eq(uses[i].call, call))
            return true;
    return false;
}

/* Is the call on the path to `end`? */
static enum bough_rc on_path(struct snap *snap, struct bough_arena *a, struct bough_head end,
                             const char *call, bool *found, struct bough_error *err)
{
    const struct path_filter last = { .kinds = 1 << BOUGH_ENTRY_MESSAGE,
                                      .limit = PAGE,
                                      .newest = true };
    bool more = end.branch != 0;
    enum bough_rc rc = BOUGH_OK;

    for (int seen = 0; more && seen < MOST && !rc && !*found; seen += PAGE) {
        struct entry_list page = { .a = a };
        struct segs segs;

        rc = path_segs(snap, a, end, 1, &segs, err);
        if (!rc)
            rc = path_read(snap, &segs, &last, &page, &more, err);
        for (size_t i = page.n; i-- > 0 && !rc && !*found;)
            *found = has_call(a, &page.at[i], call);
        if (rc || !page.n || page.at[0].at.depth < 2)
            break;
        end.depth = page.at[0].at.depth - 1;
        rc = path_owner(snap, page.at[0].at, end.depth, &end.branch, err);
    }
    return rc;
}

enum bough_rc pick_check_calls(struct snap *snap, struct bough_head target,
                               const struct picked *list, size_t from, struct bough_error *err)
{
    struct smap known;
    enum bough_rc rc = BOUGH_OK;

    smap_init(&known);
    for (size_t i = 0; i < list->n && !rc; i++) {
        size_t n;
        struct use *uses = uses_of(list->a, list->at[i], &n);

        for (size_t k = 0; k < n && !rc; k++) {
            bool found = smap_get(&known, str_of(uses[k].call), NULL) || i < from;

            if (!uses[k].result)
                smap_put(&known, str_of(uses[k].call), 1);
            else if (!found)
                rc = on_path(snap, list->a, target, uses[k].call, &found, err);
            if (!rc && uses[k].result && !found)
                rc = bough_fail(err, BOUGH_INVALID,
                                "entry %s is the result of tool call %.60s, which is neither among "
                                "the entries nor on the path of the target",
                                list->at[i]->id, uses[k].call);
        }
    }
    smap_finish(&known);
    return rc;
}
