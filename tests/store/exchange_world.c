/* Helpers for tests of exchanges. */
#include "exchange_world.h"

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/view.h"

struct bough_exchange *begin_ask(struct test *t, const struct ask *ask, struct told *out)
{
    struct bough_str system =
        ask->system ? bough_part_text(t->arena, str_of(ask->system)) : str_make(NULL, 0);
    struct bough_exchange_begin_options in = { .key = ask->key,
                                               .parent_key = ask->parent,
                                               .purpose = ask->purpose,
                                               .session = ask->session,
                                               .previous = ask->previous,
                                               .project = ask->project,
                                               .parameters = str_of(ask->parameters),
                                               .system = &system,
                                               .nsystem = ask->system ? 1 : 0,
                                               .model_name = "m",
                                               .client = "test" };
    struct bough_exchange *x;

    in.history = talk_read(t, ask->sent, &in.nhistory);
    CHECK_OK(
        bough_exchange_begin(ask->store ? ask->store : t->store, &in, &x, &out->begin, &t->err));
    out->begin.session = bough_arena_strdup(t->arena, out->begin.session);
    out->begin.id = bough_arena_strdup(t->arena, out->begin.id);
    out->session = out->begin.session;
    return x;
}

void finish_ask(struct test *t, struct bough_exchange *x, const struct ask *ask, struct told *out)
{
    struct bough_call_new call = { .provider = "p",
                                   .model = "m",
                                   .status = ask->status  ? ask->status
                                             : ask->reply ? "ok"
                                                          : "error",
                                   .used = { .input = 10, .output = 5, .cost = 1000 },
                                   .attempt = 1 };
    struct bough_exchange_reply reply = { .finish = ask->cut ? "interrupted" : "stop",
                                          .cut = ask->cut };
    struct bough_exchange_finish_options in = { .call = &call, .response = ask->response };
    size_t n;

    if (ask->reply) {
        struct bough_entry_new *e = talk_read(t, arena_printf(t->arena, "a %s", ask->reply), &n);

        CHECK_INT(1, n);
        reply.parts = e->parts;
        reply.nparts = e->nparts;
        in.reply = &reply;
    }
    CHECK_OK(
        bough_exchange_finish(ask->store ? ask->store : t->store, x, &in, &out->finish, &t->err));
    out->finish.session = bough_arena_strdup(t->arena, out->finish.session);
    out->session = out->finish.session;
    bough_exchange_destroy(x);
}

struct told ask_told(struct test *t, const struct ask *ask)
{
    struct told out;
    struct bough_exchange *x = begin_ask(t, ask, &out);

    finish_ask(t, x, ask, &out);
    return out;
}

const char *how_word(const struct told *x)
{
    static const char *const words[] = { "new",     "append", "reply",     "sibling", "branch",
                                         "trimmed", "behind", "compacted", "root",    "side" };

    return words[x->begin.how];
}

/* A message: the letter of its role and its parts. */
static const char *message_text(struct test *t, const struct bough_entry *e)
{
    struct part_view *v = view_parts(t->arena, e);
    const char *all = arena_printf(t->arena, "%c:", *bough_role_name(e->role));

    for (size_t i = 0; i < e->nparts; i++) {
        const char *plus = i ? "+" : "";

        if (v[i].kind == VIEW_TEXT)
            all = arena_printf(t->arena, "%s%s%.*s", all, plus, (int)v[i].text.n, v[i].text.p);
        else if (v[i].kind == VIEW_CALL)
            all = arena_printf(t->arena, "%s%s%s()", all, plus, v[i].tool);
        else if (v[i].kind == VIEW_RESULT)
            all = arena_printf(t->arena, "%s%s=%s", all, plus,
                               view_output_text(t->arena, v[i].output).p);
        else if (v[i].kind == VIEW_REASONING)
            all = arena_printf(t->arena, "%s%s(%s)", all, plus, v[i].text.p);
        else
            all = arena_printf(t->arena, "%s%s?", all, plus);
    }
    return all;
}

const char *path_of(struct test *t, const char *session)
{
    struct bough_entries_read_result path;
    const char *all = "";

    CHECK_OK(bough_entries_read(t->store, t->arena, session,
                                &(struct bough_entries_read_options){ .messages = true }, &path,
                                &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? " " : "",
                           message_text(t, &path.entries.at[i]));
    return all;
}

/* How many messages of the path to `at` there are: its place without notes. */
static long long message_number(struct test *t, const char *session, struct bough_head at)
{
    struct bough_entry *e;

    if (!at.branch)
        return 0;
    CHECK_OK(bough_entry_get(
        t->store, t->arena, session,
        arena_printf(t->arena, "#%lld.%lld", (long long)at.branch, (long long)at.depth), &e,
        &t->err));
    return (long long)e->mno;
}

const char *tree_of(struct test *t, const char *session)
{
    struct bough_branches branches;
    struct bough_entries all;
    const char *text = "", *gap = "";
    int number = 0;

    CHECK_OK(bough_tree_branches(t->store, t->arena, session, &branches, &t->err));
    CHECK_OK(bough_tree_entries(t->store, t->arena, session, NULL, &all, &t->err));
    for (size_t b = 0; b < branches.n; b++) {
        const struct bough_branch *branch = &branches.at[b];
        bool own = false;

        for (size_t i = 0; i < all.n; i++)
            own = own || all.at[i].at.branch == branch->number;
        if (!own)
            continue;
        text = arena_printf(t->arena, "%s%s#%d", text, gap, ++number);
        gap = "; ";
        if (branch->base.branch)
            text =
                arena_printf(t->arena, "%s@%lld", text, message_number(t, session, branch->base));
        for (size_t i = 0; i < all.n; i++)
            if (all.at[i].at.branch == branch->number && all.at[i].kind == BOUGH_ENTRY_MESSAGE)
                text = arena_printf(t->arena, "%s %s", text, message_text(t, &all.at[i]));
    }
    return text;
}

size_t notes_in(struct test *t, const char *session, const char *type)
{
    struct bough_entries all;
    size_t n = 0;

    CHECK_OK(bough_tree_entries(t->store, t->arena, session, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        n += cstr_eq(type, "compaction")
                 ? all.at[i].kind == BOUGH_ENTRY_COMPACTION
                 : all.at[i].kind == BOUGH_ENTRY_CUSTOM &&
                       cstr_eq(json_cstr(t->arena, view_data(t->arena, &all.at[i]), "customType"),
                               type);
    return n;
}

size_t calls_of(struct test *t, const char *session)
{
    struct bough_calls calls;

    CHECK_OK(bough_call_list(t->store, t->arena, session, &calls, &t->err));
    return calls.n;
}

size_t count_sessions(struct test *t)
{
    struct bough_sessions all;

    CHECK_OK(bough_session_list(
        t->store, t->arena, &(struct bough_session_list_options){ .limit = 1000 }, &all, &t->err));
    return all.n;
}

struct bough_session *session_of(struct test *t, const char *session)
{
    struct bough_session *s;

    CHECK_OK(bough_session_get(t->store, t->arena, session, &s, &t->err));
    return s;
}

/* ---- a world ---- */

#define WORLD_ID "toolu_01A2B3C4D5E6"

const char *build_exchanges(struct test *t)
{
    struct told x = ASK(.key = "w1", .sent = "u q1", .reply = "r1", .response = "resp_0123456789");

    ASK(.key = "w1", .purpose = "title", .sent = "u q1", .reply = "A title");
    ASK(.key = "w1", .sent = "u q1 | a r1 | u q2", .reply = "@call:" WORLD_ID ":ls:{}");
    ASK(.key = "w1",
        .sent = "u q1 | a r1 | u q2 | a @call:" WORLD_ID ":ls:{\"all\":1} | u @res:" WORLD_ID ":x",
        .reply = "r3");
    ASK(.key = "w1", .sent = "u q1 | a r1 | u q2", .reply = "r2 again"); /* a sibling */
    ASK(.key = "w2", .sent = "u q1 | a r1 | u of a fork", .reply = "of a fork");
    CHECK_STR(
        "compacted",
        how_word(&(struct told){
            ASK(.key = "w1", .sent = "u All of it, in few words | a r2 again | u q4", .reply = "r4")
                .begin }));
    ASK(.sent = "u never answered");
    ASK(.sent = "u one", .reply = "cut he", .cut = true);
    ASK(.sent = "u one | a cut | u two", .reply = "r2"); /* not the chain of the path */
    return x.session;
}
