/* Turns on each wire: what is sent to the provider, and what is stored of its reply. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

static const char chat[] =
    "data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"
    "\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"id\":\"c1\",\"choices\":[],\"usage\":{"
    "\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
static const char responses[] =
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\","
    "\"model\":\"m\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m1\","
    "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}],"
    "\"usage\":{"
    "\"input_tokens\":5,\"output_tokens\":2}}}\n\n";
static const char blocks[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"b1\",\"model\":"
    "\"m\",\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\nevent: "
    "content_block_start\ndata: {"
    "\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":"
    "\"hello\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"
    "\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\nevent: message_stop\ndata: {"
    "\"type\":\"message_stop\"}\n\n";

static const struct {
    const char *wires, *events, *path, *prompt, *limit;
} wires[] = {
    { "chat", chat, "POST /v1/chat/completions", "{\"role\":\"system\",\"content\":\"be kind\"}",
      "\"max_completion_tokens\":77" },
    { "responses", responses, "POST /v1/responses", "\"instructions\":\"be kind\"",
      "\"max_output_tokens\":77" },
    { "messages", blocks, "POST /v1/messages",
      "\"system\":[{\"type\":\"text\",\"text\":\"be kind\"}]", "\"max_tokens\":77" },
};

STORE_TEST(a_turn_has_prompt_history_and_limit_in_the_words_of_its_wire)
{
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++) {
        struct bough_session_create_options how = { .title = "s", .system_prompt = "be kind" };
        struct bough_session *s;
        const char *turns, *sent;
        struct world w;

        CHECK_OK(bough_session_create(t->store, t->arena, &how, &s, &t->err));
        turns = arena_printf(t->arena, "/api/v1/sessions/%s/turns", s->id);
        world_prepare(t, &w);
        world_set(&w, "provider \"up\"", "wires", wires[i].wires);
        world_start(&w);
        for (int k = 0; k < 2; k++) {
            fake_events(w.up, wires[i].events);
            CHECK_INT(202, ask(&w, turns, "",
                               "{\"content\":\"hi\",\"model\":\"m\",\"max_output_tokens\":77}")
                               .status);
            for (struct wait wait = { 0 }; get(t, s->id)->status != BOUGH_STATUS_IDLE;)
                CHECK(wait_more(&wait));
        }
        CHECK_STR("user:hi assistant:hello user:hi assistant:hello", messages_text(&w, s->id));
        CHECK(strncmp(calls_text(&w, s->id), "ok m 5+2", 8) == 0);
        sent = fake_asked(w.up, 1);
        CHECK(strncmp(sent, wires[i].path, strlen(wires[i].path)) == 0);
        if (!strstr(sent, wires[i].prompt) || !strstr(sent, wires[i].limit) ||
            !strstr(sent, "hello"))
            FAIL("%s: %s", wires[i].wires, sent);
        world_close(&w);
    }
}
