/* Asking providers how they are, over a scripted server on loopback. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/client/easy.h"
#include "gateway/client/fetch.h"
#include "gateway/kit/try.h"
#include "unit/gateway/config.h"

TEST(a_provider_that_was_asked_shows_its_models)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "");
    struct provider_info i = info(t, p, "x");

    CHECK(i.configured && !i.asked && !i.blocked);
    upstream_say(u, "GET /v1/models", 200, LIST);
    i = refreshed(t, p, "x");
    CHECK(i.asked && i.reachable && !i.blocked && i.checked && i.models_time);
    CHECK_INT(2, i.nmodels);
    CHECK_STR("m-1", i.models[0].id);
    CHECK_INT(8192, i.models[0].context);
    CHECK_INT(-1, i.models[0].loaded);
    CHECK_STR("", i.last_error);
    CHECK_INT(0, i.nsteps);
    providers_destroy(p);
    upstream_stop(u);
}

TEST(an_old_list_stays_when_a_provider_fails)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "");
    struct provider_info i;

    upstream_say(u, "GET /v1/models", 200, LIST);
    CHECK_INT(2, refreshed(t, p, "x").nmodels);
    upstream_forget(u, "GET /v1/models");
    upstream_say(u, "GET /v1/models", 500, "oops");
    i = refreshed(t, p, "x");
    CHECK(i.reachable);
    CHECK_INT(2, i.nmodels);
    CHECK_STR("its list of models was answered with HTTP 500", i.last_error);
    upstream_stop(u);
    i = refreshed(t, p, "x");
    CHECK(!i.reachable);
    CHECK_INT(2, i.nmodels);
    CHECK_STR("not_reachable", i.blocked);
    CHECK_STR("check_url", i.steps[0].act);
    CHECK_STR("not reached: the connection was refused", i.last_error);
    providers_destroy(p);
}

TEST(answers_that_are_no_list_are_errors)
{
    static const char *const bodies[] = { "", "{", "[]", "{\"data\":1}", "<html>", "\"x\"" };
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "");

    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        upstream_forget(u, "GET /v1/models");
        upstream_say(u, "GET /v1/models", 200, bodies[k]);
        CHECK_STR("its list of models could not be read", refreshed(t, p, "x").last_error);
    }
    upstream_forget(u, "GET /v1/models");
    upstream_say(u, "GET /v1/models", 200,
                 "{\"data\":[{\"id\":\"\"},{\"id\":7},{},{\"id\":\"a b\"},{\"id\":\"\\u001b[1m\"},"
                 "null,{\"id\":\"good\"}]}");
    CHECK_INT(1, refreshed(t, p, "x").nmodels);
    providers_destroy(p);
    upstream_stop(u);
}

TEST(a_redirect_and_a_cut_answer_are_not_followed)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "key_command = echo sk-canary\n");
    static const struct upstream_piece away = {
        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", 0, false
    };
    static const struct upstream_piece cut = {
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\":[", 0, false
    };

    upstream_script(u, "GET /v1/models",
                    &(struct upstream_script){ .pieces = &away, .n = 1, .end = UPSTREAM_KEEP });
    upstream_script(u, "GET /v1/models",
                    &(struct upstream_script){ .pieces = &cut, .n = 1, .end = UPSTREAM_CLOSE });
    CHECK_STR("its list of models was answered with HTTP 302", refreshed(t, p, "x").last_error);
    CHECK_INT(1, upstream_count(u));
    CHECK_STR("not reached: the connection ended early", refreshed(t, p, "x").last_error);
    providers_destroy(p);
    upstream_stop(u);
}

/* ---- local runtimes ---- */

TEST(ollama_says_what_it_has_and_what_is_loaded)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "ollama", "");
    struct provider_info i;

    upstream_say(u, "GET /api/tags", 200, "{\"models\":[{\"name\":\"a:7b\"},{\"name\":\"b:1b\"}]}");
    upstream_say(u, "GET /api/ps", 200,
                 "{\"models\":[{\"name\":\"b:1b\",\"context_length\":4096}]}");
    i = refreshed(t, p, "ollama");
    CHECK_INT(2, i.nmodels);
    CHECK_INT(0, i.models[0].loaded);
    CHECK_INT(1, i.models[1].loaded);
    CHECK_INT(4096, i.models[1].context);
    upstream_forget(u, "GET /api/tags");
    upstream_say(u, "GET /api/tags", 200, "{\"models\":[]}");
    i = refreshed(t, p, "ollama");
    CHECK_STR("no_models", i.blocked);
    CHECK_STR("pull_model", i.steps[0].act);
    CHECK_STR("ollama has no model yet: get it with: ollama pull NAME", i.steps[0].text);
    upstream_stop(u);
    i = refreshed(t, p, "ollama");
    CHECK_STR("start", i.steps[0].act);
    providers_destroy(p);
}

TEST(lmstudio_llamacpp_and_vllm_are_asked_in_their_own_ways)
{
    struct upstream *lm = upstream_start(), *cpp = upstream_start(), *v = upstream_start();
    struct providers *p = providers_of(
        t, arena_printf(t->arena,
                        "[gateway]\ndiscover = yes\nollama_port = 0\nlmstudio_port = %d\n"
                        "llamacpp_port = %d\nvllm_port = %d\n",
                        upstream_port(lm), upstream_port(cpp), upstream_port(v)));
    struct provider_infos all;
    struct provider_info i;

    providers_list(p, t->arena, &all);
    CHECK_INT(0, all.n); /* nothing was found yet */
    upstream_say(lm, "GET /api/v0/models", 200,
                 "{\"data\":[{\"id\":\"q\",\"state\":\"loaded\",\"max_context_length\":32768},"
                 "{\"id\":\"r\",\"state\":\"not-loaded\"}]}");
    upstream_say(cpp, "GET /health", 503, "{\"error\":{\"message\":\"Loading model\"}}");
    upstream_say(v, "GET /health", 200, "");
    upstream_say(v, "GET /v1/models", 200,
                 "{\"data\":[{\"id\":\"z\",\"owned_by\":\"vllm\",\"max_model_len\":4096}]}");
    CHECK_OK(providers_refresh(p, NULL, &t->err));
    providers_list(p, t->arena, &all);
    CHECK_INT(2, all.n); /* llama.cpp still loads */
    CHECK_STR("lmstudio", all.at[0].name);
    CHECK(all.at[0].discovered);
    CHECK_INT(1, all.at[0].models[0].loaded);
    CHECK_INT(32768, all.at[0].models[0].context);
    CHECK_INT(0, all.at[0].models[1].loaded);
    CHECK_STR("vllm", all.at[1].name);
    CHECK_INT(4096, all.at[1].models[0].context);
    upstream_forget(cpp, "GET /health");
    upstream_say(cpp, "GET /health", 200, "{\"status\":\"ok\"}");
    upstream_say(cpp, "GET /v1/models", 200,
                 "{\"data\":[{\"id\":\"g\",\"owned_by\":\"llamacpp\"}]}");
    upstream_say(cpp, "GET /props", 200, "{\"default_generation_settings\":{\"n_ctx\":2048}}");
    i = refreshed(t, p, "llamacpp");
    CHECK_INT(2048, i.models[0].context);
    CHECK_INT(1, i.models[0].loaded);
    providers_destroy(p);
    upstream_stop(lm);
    upstream_stop(cpp);
    upstream_stop(v);
}

TEST(another_program_on_the_port_of_a_runtime_is_not_taken_for_it)
{
    struct upstream *u = upstream_start();
    struct providers *p =
        providers_of(t, arena_printf(t->arena,
                                     "[gateway]\ndiscover = yes\nollama_port = %d\nvllm_port = %d\n"
                                     "llamacpp_port = 0\nlmstudio_port = 0\n",
                                     upstream_port(u), upstream_port(u)));
    struct provider_infos all;

    upstream_say(u, "GET /health", 200, "fine");
    upstream_say(u, "GET /v1/models", 200, LIST);
    upstream_say(u, "GET /api/tags", 200, "<html>hello</html>");
    CHECK_OK(providers_refresh(p, NULL, &t->err));
    providers_list(p, t->arena, &all);
    CHECK_INT(0, all.n);
    providers_destroy(p);
    upstream_stop(u);
}

/* ---- the thread ---- */

TEST(the_thread_asks_at_once_and_soon_after_a_failure)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "");
    size_t before;

    upstream_say(u, "GET /v1/models", 200, LIST);
    CHECK_OK(providers_start(p, &t->err));
    for (struct wait w = { 0 }; !info(t, p, "x").nmodels && wait_more(&w);)
        ;
    CHECK_INT(2, info(t, p, "x").nmodels);
    before = upstream_count(u);
    pthread_mutex_lock(&p->lock); /* it was asked long ago */
    provider_find(p->set, str_of("x"))->state.checked = 0;
    pthread_mutex_unlock(&p->lock);
    providers_failed(p, "x", "the model is gone");
    CHECK_STR("the model is gone", info(t, p, "x").last_error);
    for (struct wait w = { 0 }; upstream_count(u) == before && wait_more(&w);)
        ;
    CHECK_INT(before + 1, upstream_count(u));
    providers_stop(p);
    providers_stop(p); /* twice is allowed */
    providers_destroy(p);
    upstream_stop(u);
}

TEST(stopping_does_not_wait_for_a_silent_provider)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "");
    static const struct upstream_piece later = { "HTTP/1.1 200 OK\r\n\r\n", 0, true };

    upstream_script(u, "GET /v1/models", &(struct upstream_script){ .pieces = &later, .n = 1 });
    CHECK_OK(providers_start(p, &t->err));
    for (struct wait w = { 0 }; !upstream_count(u) && wait_more(&w);)
        ;
    providers_destroy(p);
    for (struct wait w = { 0 }; !upstream_gone(u) && wait_more(&w);)
        ;
    CHECK_INT(1, upstream_gone(u));
    upstream_stop(u);
}

/* ---- addresses ---- */

TEST(D17_the_addresses_a_gateway_may_connect_to)
{
    enum { NEVER, PRIVATE, PUBLIC };
    static const struct {
        const char *address;
        int may;
    } rows[] = {
        { "0.0.0.0", NEVER },
        { "0.1.2.3", NEVER },
        { "169.254.169.254", NEVER },
        { "169.254.0.1", NEVER },
        { "224.0.0.1", NEVER },
        { "239.255.255.255", NEVER },
        { "240.0.0.1", NEVER },
        { "255.255.255.255", NEVER },
        { "127.0.0.1", PRIVATE },
        { "127.255.255.254", PRIVATE },
        { "10.0.0.1", PRIVATE },
        { "172.16.0.1", PRIVATE },
        { "172.31.255.255", PRIVATE },
        { "172.32.0.1", PUBLIC },
        { "192.168.1.1", PRIVATE },
        { "100.64.0.1", PRIVATE },
        { "100.128.0.1", PUBLIC },
        { "8.8.8.8", PUBLIC },
        { "::", NEVER },
        { "::1", PRIVATE },
        { "fe80::1", NEVER },
        { "fec0::1", NEVER },
        { "ff02::1", NEVER },
        { "fc00::1", PRIVATE },
        { "fd12::1", PRIVATE },
        { "2606:4700::1", PUBLIC },
        { "::ffff:127.0.0.1", PRIVATE },
        { "::ffff:169.254.169.254", NEVER },
        { "::ffff:8.8.8.8", PUBLIC },
        { "::127.0.0.1", PRIVATE },
        { "64:ff9b::a9fe:a9fe", NEVER },
        { "64:ff9b::7f00:1", PRIVATE },
        { "2002:7f00:1::", PRIVATE },
        { "2002:a9fe:a9fe::", NEVER },
        { "fd00:ec2::254", NEVER },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
        struct sockaddr_in four = { .sin_family = AF_INET };
        const struct sockaddr *at = (const struct sockaddr *)&four;

        if (strchr(rows[i].address, ':')) {
            CHECK_INT(1, inet_pton(AF_INET6, rows[i].address, &six.sin6_addr));
            at = (const struct sockaddr *)&six;
        } else {
            CHECK_INT(1, inet_pton(AF_INET, rows[i].address, &four.sin_addr));
        }
        if (easy_address_allowed(at, false) != (rows[i].may == PUBLIC) ||
            easy_address_allowed(at, true) != (rows[i].may != NEVER))
            FAIL("%s", rows[i].address);
    }
}

TEST(D17_a_name_of_this_machine_is_not_reached_without_permission)
{
    struct upstream *u = upstream_start();
    struct fetch_options how = {
        .url = upstream_url(t, u, "/x"), .connect_ms = 5000, .whole_ms = 5000, .most = 100
    };
    struct fetch_answer answer;

    CHECK(!fetch(t->arena, &how, &answer));
    CHECK(strstr(answer.why, "allow_private") != NULL);
    how.url = arena_printf(t->arena, "http://localhost:%d/x", upstream_port(u));
    CHECK(!fetch(t->arena, &how, &answer));
    CHECK(strstr(answer.why, "allow_private") != NULL);
    CHECK_INT(0, upstream_connections(u));
    how.allow_private = true;
    upstream_say(u, "GET /x", 200, "hello");
    CHECK(fetch(t->arena, &how, &answer));
    CHECK_SPAN("hello", answer.body);
    how.most = 4;
    CHECK(!fetch(t->arena, &how, &answer));
    CHECK_STR("its answer is too large", answer.why);
    upstream_stop(u);
}

/* ---- one small request ---- */

static struct provider_tried tried(struct test *t, struct providers *p, const char *model)
{
    struct provider_tried out;

    CHECK_OK(providers_try(p, t->arena, NULL, model, &out, &t->err));
    return out;
}

TEST(a_small_request_shows_whether_a_provider_answers)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "key_command = echo sk-1\nwires = chat messages\n");
    struct provider_tried got;
    struct upstream_request r;

    upstream_say(u, "POST /v1/chat/completions", 200, "{\"choices\":[]}");
    got = tried(t, p, "x/m");
    CHECK_STR("x", got.provider);
    CHECK_STR("/v1/chat/completions", got.path);
    CHECK_INT(200, got.status);
    CHECK_STR("", got.why);
    r = upstream_request(t, u, 0);
    CHECK_STR("Bearer sk-1", upstream_header(t, &r, "authorization"));
    CHECK_STR("application/json", upstream_header(t, &r, "content-type"));
    CHECK_SPAN("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Say yes.\"}],"
               "\"max_tokens\":16}",
               r.body);
    upstream_forget(u, "POST /v1/chat/completions");
    upstream_say(u, "POST /v1/chat/completions", 429, "{\"error\":{\"message\":\"too fast\"}}");
    CHECK_STR("HTTP 429: too fast", tried(t, p, "x/m").why);
    upstream_forget(u, "POST /v1/chat/completions");
    upstream_say(u, "POST /v1/chat/completions", 500, "oops");
    CHECK_STR("HTTP 500", tried(t, p, "x/m").why);
    upstream_stop(u);
    CHECK_STR("not reached: the connection was refused", tried(t, p, "x/m").why);
    providers_destroy(p);
}

TEST(a_small_request_uses_the_wire_that_the_provider_has)
{
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", "wires = messages\n"), *both;
    struct provider_tried out;

    upstream_say(u, "POST /v1/messages", 200, "{}");
    CHECK_STR("/v1/messages", tried(t, p, "m").path);
    both = local(t, u, "y", "wires = chat responses\n");
    upstream_say(u, "POST /v1/responses", 200, "{}");
    CHECK_STR("/v1/responses", tried(t, both, "m").path);
    CHECK_SPAN("{\"model\":\"m\",\"input\":\"Say yes.\",\"max_output_tokens\":16}",
               upstream_request(t, u, 1).body);
    CHECK_RC(BOUGH_NOT_FOUND, providers_try(p, t->arena, "none", "m", &out, &t->err));
    CHECK_STR("there is no provider \"none\"", t->err.msg);
    providers_destroy(both);
    providers_destroy(p);
    upstream_stop(u);
}
