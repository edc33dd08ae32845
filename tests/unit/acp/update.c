/* Updates of agents, read from JSON: of our own making, and as real agents sent them. */
#include "acp/update.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "lib/test.h"
#include "rpc/message.h"

static struct json parse(struct test *t, const char *text)
{
    struct json root;

    CHECK_OK(json_parse(t->arena, str_of(text), &root, &t->err));
    return root;
}

static struct acp_update read(struct test *t, const char *text)
{
    struct acp_update u;

    CHECK(acp_update_read(t->arena, parse(t, text), &u));
    return u;
}

TEST(every_member_of_an_update_is_optional)
{
    struct acp_update u = read(t, "{\"sessionUpdate\":\"agent_message_chunk\"}");

    CHECK_INT(ACP_MESSAGE_CHUNK, u.kind);
    CHECK(u.message_id == NULL);
    CHECK_SPAN("", acp_block_text(t->arena, u.content));
    u = read(t, "{\"sessionUpdate\":\"usage_update\",\"used\":\"many\",\"cost\":{}}");
    CHECK_INT(-1, u.used);
    CHECK(u.cost < 0);
    u = read(t, "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"x\",\"content\":7}");
    CHECK(u.tool.content.doc == NULL && u.tool.title == NULL);
}

TEST(an_update_of_an_unknown_kind_is_kept_raw)
{
    struct acp_update u = read(t, "{\"sessionUpdate\":\"plan_removed\",\"id\":1}");

    CHECK_INT(ACP_OTHER, u.kind);
    CHECK_STR("plan_removed", u.name);
    CHECK_SPAN("{\"sessionUpdate\":\"plan_removed\",\"id\":1}", u.raw);
}

TEST(what_is_not_an_update_is_refused)
{
    struct acp_update u;

    CHECK(!acp_update_read(t->arena, parse(t, "{}"), &u));
    CHECK(!acp_update_read(t->arena, parse(t, "[]"), &u));
    CHECK(!acp_update_read(t->arena, parse(t, "{\"sessionUpdate\":\"tool_call\"}"), &u));
}

TEST(the_text_of_a_tool_comes_from_its_content_or_its_output)
{
    struct json content = parse(t, "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":"
                                   "\"one\"}},{\"type\":\"terminal\",\"terminalId\":\"x\"},"
                                   "{\"type\":\"diff\",\"path\":\"a.c\"}]");
    struct json none = { 0 };

    CHECK_SPAN("one\n[diff a.c]", acp_tool_text(t->arena, content, none));
    CHECK_SPAN("plain", acp_tool_text(t->arena, none, parse(t, "\"plain\"")));
    CHECK_SPAN("{\"a\":1}", acp_tool_text(t->arena, none, parse(t, "{\"a\":1}")));
    CHECK_SPAN("", acp_tool_text(t->arena, none, none));
}

TEST(options_of_a_permission_are_found_by_their_kind)
{
    struct acp_permission p;

    CHECK(acp_permission_read(
        t->arena,
        parse(t, "{\"toolCall\":{\"toolCallId\":\"x\"},\"options\":[{\"optionId\":\"a\",\"kind\":"
                 "\"allow_always\"},{\"kind\":\"reject_once\"},{\"optionId\":\"b\",\"kind\":"
                 "\"allow_once\",\"name\":\"Yes\"}]}"),
        &p));
    CHECK_INT(2, p.n);
    CHECK_STR("b", acp_option_of(&p, "allow_once")->id);
    CHECK(acp_option_of(&p, "reject_once") == NULL);
}

/* ---- real ones ---- */

static void take_real(struct test *t, struct json message, int seen[ACP_OTHER + 1])
{
    struct acp_permission p;
    struct acp_update u;
    struct rpc_message m;
    struct rpc_bad bad;

    if (!rpc_read(t->arena, json_raw(message), &m, &bad))
        FAIL("%s", bad.why);
    if (strcmp(m.method, "session/update") == 0) {
        CHECK(acp_update_read(t->arena, json_member(m.params, "update"), &u));
        seen[u.kind]++;
    }
    if (strcmp(m.method, "session/request_permission") == 0) {
        CHECK(acp_permission_read(t->arena, m.params, &p));
        CHECK(acp_option_of(&p, "allow_once") && acp_option_of(&p, "reject_once"));
    }
}

TEST(all_that_real_agents_sent_is_understood)
{
    const char *root = getenv("BOUGH_CORPORA");
    char *folder = root ? arena_printf(t->arena, "%s/acp", root) : NULL;
    DIR *d = folder ? opendir(folder) : NULL;
    int seen[ACP_OTHER + 1] = { 0 };
    struct dirent *e;

    if (!d)
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    while ((e = readdir(d))) {
        struct bough_str text;

        if (!strstr(e->d_name, ".jsonl"))
            continue;
        CHECK_OK(fs_read(t->arena, arena_printf(t->arena, "%s/%s", folder, e->d_name), 16 << 20,
                         &text, &t->err));
        for (const char *p = text.p; *p;) {
            const char *end = strchr(p, '\n');
            struct json line;

            CHECK_OK(json_parse(t->arena, str_make(p, (size_t)(end - p)), &line, &t->err));
            if (json_is(json_member(line, "d"), "<"))
                take_real(t, json_member(line, "m"), seen);
            p = end + 1;
        }
    }
    closedir(d);
    CHECK(seen[ACP_MESSAGE_CHUNK] > 100 && seen[ACP_TOOL] > 100 && seen[ACP_USAGE] > 50);
    CHECK(seen[ACP_MODE] && seen[ACP_CONFIG] && seen[ACP_COMMANDS] && seen[ACP_INFO]);
    CHECK_INT(0, seen[ACP_OTHER]);
}
