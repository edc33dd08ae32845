/* Exchanges as bodies of the wires: what comes back, one conversation over several wires, and how
 * much a long one takes. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/request.h"
#include "exchange_world.h"

/* Send a body; `reply` as in struct ask. */
static struct told send_body(struct test *t, enum wire wire, const char *body, const char *reply)
{
    struct bough_exchange_begin_options in = { .client = "test" };
    struct bough_exchange *x;
    struct wire_request req;
    struct told out;

    CHECK_OK(wire_request_read(t->arena, wire, str_of(body), &req, &t->err));
    in.history = req.messages;
    in.nhistory = req.nmessages;
    in.system = req.system;
    in.nsystem = req.nsystem;
    in.parameters = req.parameters;
    CHECK_OK(bough_exchange_begin(t->store, &in, &x, &out.begin, &t->err));
    out.begin.session = bough_arena_strdup(t->arena, out.begin.session);
    finish_ask(t, x, &(struct ask){ .reply = reply }, &out);
    return out;
}

/* ---- what comes back ---- */

/* The messages of the path as JSON: parts, and data behind "|". */
static const char *raw_path(struct test *t, const char *session)
{
    struct bough_entries_read_result path;
    const char *all = "";

    CHECK_OK(bough_entries_read(t->store, t->arena, session,
                                &(struct bough_entries_read_options){ .messages = true }, &path,
                                &t->err));
    for (size_t i = 0; i < path.entries.n; i++) {
        const struct bough_entry *e = &path.entries.at[i];

        all = arena_printf(t->arena, "%s\n%s", all, bough_role_name(e->role));
        for (size_t p = 0; p < e->nparts; p++)
            all =
                arena_printf(t->arena, "%s %.*s", all, (int)e->parts[p].json.n, e->parts[p].json.p);
        if (e->data.n)
            all = arena_printf(t->arena, "%s | %.*s", all, (int)e->data.n, e->data.p);
    }
    return all;
}

STORE_TEST(G6_foreign_words_and_unknown_members_come_back)
{
    static const char body[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"q1\",\"x_mood\":{\"n\":1.50}},"
        "{\"role\":\"developer\",\"content\":\"be brief\"},"
        "{\"role\":\"function\",\"name\":\"f\",\"content\":\"4\"},"
        "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I will not\"},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"q2\",\"x_part\":[7]}]}%s]}";
    struct told x = send_body(t, WIRE_CHAT, arena_printf(t->arena, body, ""), "r1"), y;
    const char *first = raw_path(t, x.session);

    CHECK(strstr(first, "\"x_mood\":{\"n\":1.50}"));
    CHECK(strstr(first, "\"role\":\"developer\""));
    CHECK(strstr(first, "\"role\":\"function\",\"name\":\"f\""));
    CHECK(strstr(first, "\"refusal\":\"I will not\""));
    CHECK(strstr(first, "\"x_part\":[7]"));
    y = send_body(t, WIRE_CHAT,
                  arena_printf(t->arena, body,
                               ",{\"role\":\"assistant\",\"content\":\"r1\"},"
                               "{\"role\":\"user\",\"content\":\"q3\"}"),
                  "r2");
    CHECK_STR(x.session, y.session);
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.appended);
    CHECK(strncmp(first, raw_path(t, x.session), strlen(first)) == 0); /* stays as it is */
}

/* ---- one conversation over several wires ---- */

#define ID "toolu_01ABC234567"

STORE_TEST(G21_one_history_over_three_wires_is_one_path)
{
    struct told x, y;

    x = send_body(t, WIRE_CHAT,
                  "{\"messages\":[{\"role\":\"system\",\"content\":\"nice\"},"
                  "{\"role\":\"user\",\"content\":\"q1\"}]}",
                  "@think:hm + one + @call:" ID ":ls:{\"a\":1,\"b\":[2]}");
    y = send_body(
        t, WIRE_MESSAGES,
        "{\"system\":\"nice\",\"messages\":[{\"role\":\"user\",\"content\":\"q1\"},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},"
        "{\"type\":\"tool_use\",\"id\":\"" ID "\",\"name\":\"ls\",\"input\":{\"b\":[2],\"a\":1}}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" ID "\","
        "\"content\":[{\"type\":\"text\",\"text\":\"files\"}]}]}]}",
        "r2");
    CHECK_STR("append", how_word(&y));
    y = send_body(
        t, WIRE_RESPONSES,
        "{\"instructions\":\"nice\",\"input\":[{\"role\":\"user\",\"content\":\"q1\"},"
        "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
        "\"text\":\"one\"}]},{\"type\":\"function_call\",\"call_id\":\"" ID "\",\"name\":\"ls\","
        "\"arguments\":\"{\\\"a\\\": 1, \\\"b\\\": [2]}\"},"
        "{\"type\":\"function_call_output\",\"call_id\":\"" ID "\",\"output\":\"files\"},"
        "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
        "\"text\":\"r2\"}]},{\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
        "\"text\":\"q3\"}]}]}",
        "r3");
    CHECK_STR("append", how_word(&y));
    y = send_body(
        t, WIRE_CHAT,
        "{\"messages\":[{\"role\":\"system\",\"content\":\"nice\"},"
        "{\"role\":\"user\",\"content\":\"q1\"},{\"role\":\"assistant\",\"content\":\"one\","
        "\"tool_calls\":[{\"id\":\"" ID "\",\"type\":\"function\",\"function\":{\"name\":\"ls\","
        "\"arguments\":\"{\\\"a\\\":1,\\\"b\\\":[2]}\"}}]},"
        "{\"role\":\"tool\",\"tool_call_id\":\"" ID "\",\"content\":\"files\"},"
        "{\"role\":\"assistant\",\"content\":\"r2\"},{\"role\":\"user\",\"content\":\"q3\"},"
        "{\"role\":\"assistant\",\"content\":\"r3\"},{\"role\":\"user\",\"content\":\"q4\"}]}",
        "r4");
    CHECK_STR("append", how_word(&y));
    CHECK_STR("#1 u:q1 a:(hm)+one+ls() u:=files a:r2 u:q3 a:r3 u:q4 a:r4", tree_of(t, x.session));
    CHECK_INT(0, notes_in(t, x.session, "bough.amend"));
    CHECK_INT(1, notes_in(t, x.session, "bough.system"));
}

/* ---- a long loop ---- */

enum { LOOP = 500 };

/* Text that does not repeat, of `n` characters. */
static char *noise(struct test *t, uint64_t seed, size_t n)
{
    char *out = arena_alloc(t->arena, n + 1);

    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        out[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -"[seed >> 58];
    }
    out[n] = '\0';
    return out;
}

STORE_TEST_SECONDS(G46_a_tool_loop_of_500_turns_stores_its_content_once, 180)
{
    struct bough_entry_new *sent = arena_array(t->arena, 2 * LOOP + 1, sizeof *sent);
    struct bough_exchange_begin_options in = { .key = "loop", .history = sent, .nhistory = 1 };
    struct bough_call_new call = { .provider = "p", .model = "m", .status = "ok" };
    struct bough_store_stats_result stats;
    size_t unique = 5;

    sent[0] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "begin" };
    for (int i = 0; i < LOOP; i++) {
        struct bough_str *parts = arena_array(t->arena, 2, sizeof *parts);
        struct bough_exchange_reply reply = { .parts = &parts[0], .nparts = 1 };
        struct bough_exchange_begin_result begun;
        struct bough_exchange *x;

        parts[0] = str_of(arena_printf(t->arena,
                                       "{\"type\":\"tool_use\",\"id\":\"toolu_%09d\",\"name\":"
                                       "\"read\",\"input\":{\"path\":\"%s\"}}",
                                       i, noise(t, (uint64_t)i, 200)));
        parts[1] = str_of(arena_printf(t->arena,
                                       "{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_%09d\","
                                       "\"content\":\"%s\"}",
                                       i, noise(t, (uint64_t)i + LOOP, 1500)));
        CHECK_OK(bough_exchange_begin(t->store, &in, &x, &begun, &t->err));
        CHECK_INT(1, begun.appended);
        CHECK_OK(bough_exchange_finish(
            t->store, x, &(struct bough_exchange_finish_options){ .reply = &reply, .call = &call },
            NULL, &t->err));
        bough_exchange_destroy(x);
        sent[in.nhistory++] = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT,
                                                        .parts = &parts[0],
                                                        .nparts = 1 };
        sent[in.nhistory++] =
            (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .parts = &parts[1], .nparts = 1 };
        unique += parts[0].n + (i < LOOP - 1 ? parts[1].n : 0);
    }
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(2 * LOOP, stats.messages);
    CHECK(stats.content_bytes + stats.attachment_bytes <= (int64_t)(unique + unique / 10));
}
