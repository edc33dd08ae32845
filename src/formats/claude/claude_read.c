/* Claude Code's session files, reader: finds the conversation of each line. Lines with a uuid form
 * a tree; lines without one stand between them. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "formats/claude/claude_in.h"
#include "formats/common/foreign.h"

enum { HOLD_LINES = 256, HOLD_BYTES = 8 * 1024 * 1024 };

/* Types of lines without a uuid that a file may begin with. */
static bool has_side_type(struct bough_str line)
{
    static const char *const types[] = {
        "\"type\":\"queue-operation\"", "\"type\":\"last-prompt\"", "\"type\":\"custom-title\"",
        "\"type\":\"ai-title\"",        "\"type\":\"agent-name\"",  "\"type\":\"permission-mode\"",
        "\"type\":\"api-request",       "\"type\":\"cost-state\"",  "\"type\":\"tools-used\"",
        "\"type\":\"atis-latch\"",      "\"type\":\"bough.head\"",  "\"type\":\"mode\"",
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_has(line, types[i]))
            return true;
    return false;
}

/* Other tools have lines with a sessionId, too: it takes a uuid's parent or a type of Claude
 * Code's. A type of a later version counts if a line with a parent is among the first bytes. */
bool claude_detect(struct bough_str first)
{
    struct bough_str line = first_line(first);

    if (!str_starts(line, "{") || text_has(line, "\"payload\":"))
        return str_starts(line, "{\"parentUuid\":");
    if (text_has(line, "\"sessionId\":") &&
        (has_side_type(line) || text_has(first, "\n{\"parentUuid\":")))
        return true;
    return text_has(line, "\"parentUuid\":") || text_has(line, "\"type\":\"summary\"") ||
           text_has(line, "\"type\":\"file-history-snapshot\"");
}

void claude_hold(struct reading *r, struct bough_arena *a, struct lines *l, struct bough_str text)
{
    struct held *h = arena_zalloc(a, sizeof *h);

    h->text = str_make(arena_strndup(a, text.p, text.n), text.n);
    h->line = r->line;
    if (!l->end)
        l->end = &l->first;
    *l->end = h;
    l->end = &h->next;
    l->n++;
    l->bytes += text.n;
}

/* ---- sessions ---- */

static enum bough_rc give_session(struct reading *r, struct claude *cc, struct chain *c,
                                  struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    const char *key = c == &cc->main ? cc->agent : c->key;

    s->id = key ? arena_printf(r->a, "%s/%s", cc->session, key) : cc->session;
    s->parent = key ? cc->session : NULL;
    s->subagent = key != NULL;
    s->spawned_by = NULL;
    s->inherits = s->finds_parent = !key;
    s->project = json_cstr(r->a, j, "cwd");
    s->created = iso_parse(json_cstr(r->a, j, "timestamp"));
    s->provider_path = "claude-code";
    s->exported_from = key ? NULL : foreign_session(r->a, j, cc->session, &s->copy);
    if (s->exported_from && !r->resumed)
        r->first = (struct line_place){ r->at, r->line }; /* a later reading needs it */
    c->begun = true;
    return give(r, &item, err);
}

/* Give all held lines, in order. */
static enum bough_rc give_held(struct reading *r, struct claude *cc, struct chain *c,
                               struct lines *l, struct bough_error *err)
{
    int64_t line = r->line;
    enum bough_rc rc = BOUGH_OK;
    struct json j;

    for (struct held *h = l->first; h && !rc; h = h->next) {
        r->line = h->line;
        if (json_parse(r->a, h->text, &j, NULL) == BOUGH_OK)
            rc = claude_take(r, cc, c, j, err);
    }
    *l = (struct lines){ 0 };
    r->line = line;
    return rc;
}

static enum bough_rc give_sides(struct reading *r, struct claude *cc, struct bough_error *err)
{
    enum bough_rc rc = claude_boundary(r, cc, &cc->main, str_of(""), err);

    for (struct chain *c = cc->sides; c && !rc; c = c->next) {
        struct json j = { 0 };

        if (!c->waiting.first || json_parse(r->a, c->waiting.first->text, &j, NULL))
            continue;
        rc = give_session(r, cc, c, j, err);
        if (!rc)
            rc = give_held(r, cc, c, &c->waiting, err);
        if (!rc)
            rc = claude_boundary(r, cc, c, str_of(""), err);
    }
    cc->side_bytes = 0;
    return rc;
}

/* Give the session as soon as its id is known, then the held lines. */
static enum bough_rc begin(struct reading *r, struct claude *cc, struct json j,
                           struct bough_error *err)
{
    bool side = false;
    enum bough_rc rc;

    json_bool(json_member(j, "isSidechain"), &side);
    if (side && json_cstr(r->a, j, "agentId"))
        cc->agent = arena_strdup(r->kept, json_cstr(r->a, j, "agentId"));
    rc = give_session(r, cc, &cc->main, j, err);
    return rc ? rc : give_held(r, cc, &cc->main, &cc->leading, err);
}

/* The sidechain of a line, or NULL for the main conversation. */
static struct chain *side_of(struct reading *r, struct claude *cc, struct json j)
{
    const char *key = json_cstr(r->a, j, "agentId"), *uuid = json_cstr(r->a, j, "uuid");
    struct chain **at = &cc->sides, **before;
    bool side = false;

    json_bool(json_member(j, "isSidechain"), &side);
    if (!side || cstr_empty(uuid) || cc->agent)
        return NULL;
    before = recent_get(&cc->members, json_cstr(r->a, j, "parentUuid"));
    if (!key && before) {
        struct chain *c = *before;

        *(struct chain **)recent_put(r->kept, &cc->members, uuid) = c;
        return c;
    }
    if (!key)
        key = uuid;
    while (*at && !cstr_eq((*at)->key, key))
        at = &(*at)->next;
    if (!*at) {
        *at = arena_zalloc(r->kept, sizeof **at);
        (*at)->key = arena_strdup(r->kept, key);
    }
    *(struct chain **)recent_put(r->kept, &cc->members, uuid) = *at;
    return *at;
}

static enum bough_rc take_side(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                               struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    if (r->resumed)
        return bough_fail(err, BOUGH_CONFLICT, "its conversation was read before");
    if (!cc->side_bytes && !cc->main.boundary) /* no held line lives in this arena */
        bough_arena_reset(cc->hold);
    claude_hold(r, cc->hold, &c->waiting, json_raw(j));
    cc->side_bytes += json_raw(j).n;
    if (cc->side_bytes < HOLD_BYTES)
        return BOUGH_OK;
    rc = give_sides(r, cc, err);
    return rc ? rc : give_session(r, cc, &cc->main, j, err);
}

/* Lines of another session stay in this one, because Claude Code resumes the file as one
 * conversation. Report each such session once. */
static enum bough_rc tell_other(struct reading *r, struct claude *cc, const char *session,
                                struct bough_error *err)
{
    if (cstr_empty(session) || cstr_eq(session, cc->session) || recent_get(&cc->others, session))
        return BOUGH_OK;
    recent_put(r->kept, &cc->others, session);
    return give_problem(r, err, "it is of another session, %.100s: its lines are kept in this one",
                        session);
}

enum bough_rc claude_line(struct reading *r, struct bough_str line, struct bough_error *err)
{
    struct claude *cc = r->state ? r->state : arena_zalloc(r->kept, sizeof *cc);
    const char *session;
    struct chain *side;
    struct json j;
    bool full;
    enum bough_rc rc;

    r->state = cc;
    if (!cc->hold)
        cc->hold = bough_arena_create();
    if (!line_object(r, line, &j, &rc, err))
        return rc;
    session = json_cstr(r->a, j, "sessionId");
    if (!cc->session && !cstr_empty(session))
        cc->session = arena_strdup(r->kept, session);
    full = cc->leading.n >= HOLD_LINES || cc->leading.bytes >= HOLD_BYTES;
    if (full && !cc->session)
        return bough_fail(err, BOUGH_INVALID, "no line names a session");
    if (!cc->main.begun && !full && (!cc->session || !json_cstr(r->a, j, "uuid"))) {
        claude_hold(r, r->kept, &cc->leading, json_raw(j));
        return BOUGH_OK;
    }
    if (!cc->main.begun)
        rc = begin(r, cc, j, err);
    if (!rc)
        rc = tell_other(r, cc, session, err);
    if (rc)
        return rc;
    side = side_of(r, cc, j);
    rc = side ? take_side(r, cc, side, j, err) : claude_take(r, cc, &cc->main, j, err);
    if (cc->main.nbegins)
        r->again = cc->main.begins[0];
    return rc;
}

enum bough_rc claude_end(struct reading *r, struct bough_error *err)
{
    struct claude *cc = r->state;
    struct json none = { 0 };
    enum bough_rc rc = BOUGH_OK;

    if (!cc || !cc->session)
        return bough_fail(err, BOUGH_INVALID, "there is no line of a Claude Code session in it");
    if (!cc->main.begun)
        rc = begin(r, cc, none, err);
    return rc ? rc : give_sides(r, cc, err);
}

/* The lines of the last responses are enough to resume, unless the file has sidechains. */
bool claude_leave(const struct reading *r, struct buf *state)
{
    const struct claude *cc = r->state;

    (void)state;
    return cc && cc->main.begun && !cc->main.boundary && !cc->sides && cc->main.nbegins &&
           r->again.line;
}

void claude_drop(struct reading *r)
{
    struct claude *cc = r->state;

    if (cc)
        bough_arena_destroy(cc->hold);
}
