/* Captures of clients, replayed as a gateway would record them, and compared with what was written
 * down beside each: NAME.expected.tsv. Lines of requests say number, session, how it was placed,
 * units that are new in the request + units of the reply, BRANCH, purpose and variants; lines of
 * sessions say kind, parent and branches. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "core/match/units.h"
#include "core/wire/reply/reply.h"
#include "lib/capture.h"
#include "store/exchange_world.h"

enum { COLUMNS = 7, SESSIONS = 32 };

struct replay {
    struct test *t;
    const char *name;               /* of the scenario; also its project */
    const char *sessions[SESSIONS]; /* ids, in order of the labels s1, s2, ... */
    const char *labels[SESSIONS];
    size_t n;
    bool keyless; /* as if the client had no name for its session */
};

/* The columns of one line. */
struct line {
    const char *at[COLUMNS];
};

/* ---- units ---- */

static size_t count_units(struct test *t, const struct bough_entry *e)
{
    struct units u = { .a = t->arena };

    units_add(&u, e, false);
    return u.n;
}

/* Of the messages that a request added: the last ones of the path to the place of its reply. */
static size_t new_units(struct test *t, const struct told *x)
{
    struct bough_entries_read_options how = { .messages = true,
                                              .at = arena_printf(t->arena, "#%lld.%lld",
                                                                 (long long)x->begin.at.branch,
                                                                 (long long)x->begin.at.depth) };
    struct bough_entries_read_result path;
    size_t n = 0;

    CHECK_OK(bough_entries_read(t->store, t->arena, x->session, &how, &path, &t->err));
    CHECK(path.entries.n >= x->begin.appended);
    for (size_t i = path.entries.n - x->begin.appended; i < path.entries.n; i++)
        n += count_units(t, &path.entries.at[i]);
    return n;
}

/* ---- one exchange ---- */

static const char *how_of(const struct told *x, const struct client_found *who)
{
    switch (x->begin.how) {
    case BOUGH_EXCHANGE_NEW:
        return who->key ? "first" : "new session";
    case BOUGH_EXCHANGE_REPLY:
        return "retry of a failed first request";
    case BOUGH_EXCHANGE_COMPACTED:
        return "COMPACTION";
    case BOUGH_EXCHANGE_SIDE:
        return "side";
    case BOUGH_EXCHANGE_APPENDED:
        if (!x->begin.known) /* to a session that a side request made */
            return "first";
        return "chain";
    default:
        return who->purpose ? "chain (head kept)" : "chain";
    }
}

static const char *label_of(struct replay *r, const char *session, const char *want)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->sessions[i], session) == 0)
            return r->labels[i];
    CHECK(r->n < SESSIONS);
    for (size_t i = 0; i < r->n; i++) /* another session has this label */
        if (strcmp(r->labels[i], want) == 0)
            return "?";
    r->sessions[r->n] = session;
    r->labels[r->n++] = want;
    return want;
}

static void finish(struct replay *r, const struct capture *c, enum wire wire,
                   struct bough_exchange *x, struct told *out, size_t *units)
{
    struct reply *reply = reply_create(wire, capture_streams(c));
    const struct reply_result *read;
    struct bough_call_new call = { .provider = "p", .model = "m", .attempt = 1 };
    struct bough_exchange_reply said = { .cut = c->left };
    struct bough_exchange_finish_options in = { .call = &call };
    struct bough_entry *e;
    struct test *t = r->t;

    reply_feed(reply, c->response.p, c->response.n);
    read = reply_end(reply);
    call.usage = read->usage;
    call.status = c->status == 200 ? "ok" : "error";
    *units = 0;
    if (c->status == 200 && read->choices[0].nparts) {
        said = (struct bough_exchange_reply){ .parts = read->choices[0].parts,
                                              .nparts = read->choices[0].nparts,
                                              .finish = read->choices[0].finish,
                                              .data = read->choices[0].data,
                                              .cut = read->choices[0].cut };
        in.reply = &said;
        in.response = read->id;
    }
    CHECK_OK(bough_exchange_finish(t->store, x, &in, &out->finish, &t->err));
    if (in.reply) {
        CHECK_OK(bough_entry_get(t->store, t->arena, NULL, out->finish.entry, &e, &t->err));
        *units = count_units(t, e);
    }
    reply_destroy(reply);
    bough_exchange_destroy(x);
}

static void check_line(struct replay *r, const struct capture *c, const struct line *want,
                       const struct line *got)
{
    static const char *const names[COLUMNS] = { "number", "session", "how",     "units",
                                                "branch", "purpose", "variants" };

    for (size_t i = 1; i < COLUMNS; i++)
        if (strcmp(want->at[i], got->at[i]) != 0)
            FAIL("%s, request %lld: %s is \"%s\", not \"%s\"", r->name, (long long)c->n, names[i],
                 got->at[i], want->at[i]);
}

static void replay_one(struct replay *r, const struct capture *c, enum wire wire,
                       const struct line *want)
{
    struct test *t = r->t;
    struct bough_exchange_begin_options in = { .project = r->name };
    struct bough_exchange *x;
    struct wire_request req;
    struct client_found who;
    struct told told;
    struct line got;
    size_t fresh, reply_units;
    bool branch;

    CHECK_OK(wire_request_read(t->arena, wire, c->body, &req, &t->err));
    client_identify(t->arena, &req, c->headers, c->nheaders, &who);
    if (r->keyless)
        who.key = who.parent = NULL;
    in.history = req.messages;
    in.nhistory = req.nmessages;
    in.system = req.system;
    in.nsystem = req.nsystem;
    in.parameters = req.parameters;
    in.key = who.key;
    in.parent_key = who.parent;
    in.purpose = who.purpose;
    in.previous = req.previous_response_id;
    CHECK_OK(bough_exchange_begin(t->store, &in, &x, &told.begin, &t->err));
    told.session = bough_arena_strdup(t->arena, told.begin.session);
    fresh = new_units(t, &told);
    branch = told.begin.how == BOUGH_EXCHANGE_BRANCHED ||
             told.begin.how == BOUGH_EXCHANGE_SIBLING || told.begin.how == BOUGH_EXCHANGE_ROOT;
    finish(r, c, wire, x, &told, &reply_units);
    got = (struct line){ { "", label_of(r, told.session, want->at[1]), how_of(&told, &who),
                           arena_printf(t->arena, "new %zu+%zu", fresh, reply_units),
                           branch ? "BRANCH" : "", who.purpose ? who.purpose : "", want->at[6] } };
    /* A variant is told once; the table has it at every request. */
    if (told.begin.variants || (*want->at[6] && !notes_in(t, told.session, "bough.amend")))
        got.at[6] = "variants: call arguments";
    check_line(r, c, want, &got);
}

/* ---- the table ---- */

static struct line read_line(struct test *t, struct bough_str *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->p) : rest->n;
    char *text = arena_strndup(t->arena, rest->p, n), *cell;
    struct line l = { { "", "", "", "", "", "", "" } };

    for (size_t i = 0; i < COLUMNS && (cell = strsep(&text, "\t")); i++)
        l.at[i] = cell;
    /* What differs from case to case is told by other columns. */
    if (strncmp(l.at[2], "COMPACTION", 10) == 0)
        l.at[2] = "COMPACTION";
    if (strncmp(l.at[2], "side ", 5) == 0)
        l.at[2] = "side";
    *rest = str_make(rest->p + n + (end != NULL), rest->n - n - (end != NULL));
    return l;
}

/* How many branches hang on an entry of the session. */
static size_t count_branches(struct test *t, const char *session)
{
    struct bough_branches branches;
    size_t n = 0;

    CHECK_OK(bough_tree_branches(t->store, t->arena, session, &branches, &t->err));
    for (size_t i = 0; i < branches.n; i++)
        n += branches.at[i].base.branch != 0;
    return n;
}

static void check_session(struct replay *r, const struct line *want)
{
    struct test *t = r->t;
    const char *kind, *parent = "";
    struct bough_session *s = NULL;

    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->labels[i], want->at[1]) == 0)
            s = session_of(t, r->sessions[i]);
    if (!s)
        FAIL("%s: there is no session %s", r->name, want->at[1]);
    kind = s->kind == BOUGH_PRIMARY ? "primary"
           : *s->role_name          ? arena_printf(t->arena, "side:%s", s->role_name)
                                    : "subagent";
    if (*s->parent)
        parent = arena_printf(t->arena, "parent %s", label_of(r, s->parent, "another"));
    CHECK_STR(want->at[2], kind);
    CHECK_STR(want->at[4], parent);
    CHECK_STR(want->at[5], arena_printf(t->arena, "branches %zu", count_branches(t, s->id)));
}

static void replay_scenario(struct test *t, const char *folder, const char *name, bool keyless)
{
    struct captures all = capture_read(t, folder, name);
    struct replay r = { .t = t, .name = name, .keyless = keyless };
    struct bough_str table;
    size_t at = 0;

    CHECK_OK(fs_read(t->arena, arena_printf(t->arena, "%s/%s.expected.tsv", folder, name), 1 << 20,
                     &table, &t->err));
    while (table.n) {
        struct line want = read_line(t, &table);
        const struct capture *c;
        enum wire wire;

        if (keyless && strcmp(want.at[2], "first") == 0)
            want.at[2] = "new session";
        if (strcmp(want.at[0], "session") == 0) {
            check_session(&r, &want);
            continue;
        }
        CHECK(at < all.n);
        c = &all.at[at++];
        CHECK_STR(want.at[0], arena_printf(t->arena, "%lld", (long long)c->n));
        if (cstr_eq(c->method, "POST") && wire_of_path(c->path, &wire) && c->body.n)
            replay_one(&r, c, wire, &want);
        else
            CHECK_STR("not recorded", want.at[2]);
    }
    CHECK_INT(all.n, at);
}

static void replay_all(struct test *t, const char *folder, const char *const *names, bool keyless)
{
    for (; *names; names++)
        replay_scenario(t, folder, *names, keyless);
}

STORE_TEST(captures_of_a_loop_on_each_wire_are_one_path)
{
    static const char *const names[] = { "loop-chat", "loop-messages", "loop-responses", NULL };

    replay_all(t, capture_own(t), names, false);
}

STORE_TEST(captures_of_a_loop_are_one_path_without_a_key_too)
{
    static const char *const names[] = { "loop-chat", "loop-messages", "loop-responses", NULL };

    replay_all(t, capture_own(t), names, true);
}

STORE_TEST(captures_of_real_clients_are_recorded_as_written_down)
{
    static const char *const names[] = { "claude-code/compaction",
                                         "claude-code/subagent",
                                         "claude-code/tool-loop-resume",
                                         "codex/tool-loop-resume",
                                         "codex/websocket-first",
                                         "opencode/title-and-loop",
                                         "pi/anthropic",
                                         "pi/chat",
                                         "pi/responses",
                                         "sdk/openai-and-anthropic",
                                         NULL };

    if (!capture_corpora(t))
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    replay_all(t, capture_corpora(t), names, false);
}

STORE_TEST(captures_of_real_clients_are_found_by_their_content_alone)
{
    static const char *const names[] = { "claude-code/tool-loop-resume", "codex/tool-loop-resume",
                                         "codex/websocket-first", "pi/responses", NULL };

    if (!capture_corpora(t))
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    replay_all(t, capture_corpora(t), names, true);
}
