/* One tiny request to a provider, to see whether it answers. */
#include "gateway/kit/try.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "gateway/client/fetch.h"
#include "gateway/kit/secret.h"

enum { ANSWER_MOST = 1 << 20, WHOLE_MS = 60000, TOKENS = 16 };

static struct bough_str body_for(struct bough_arena *a, enum wire wire, const char *model)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 4096);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "model", model);
    if (wire == WIRE_RESPONSES) {
        jw_kv_cstr(&w, "input", "Say yes.");
        jw_kv_i64(&w, "max_output_tokens", TOKENS);
    } else {
        jw_kv_raw(&w, "messages", str_of("[{\"role\":\"user\",\"content\":\"Say yes.\"}]"));
        jw_kv_i64(&w, "max_tokens", TOKENS);
    }
    jw_end_obj(&w);
    return buf_give(&b, a);
}

static const char *const *headers_for(struct bough_arena *a, const struct provider_target *to)
{
    const char **lines = arena_array(a, 4, sizeof *lines);
    size_t n = 0;

    lines[n++] = "Content-Type: application/json";
    lines[n++] = "anthropic-version: 2023-06-01";
    lines[n] = to->headers[0];
    return lines;
}

/* The provider's own words, if it answered with an error. */
static const char *reason(struct bough_arena *a, const struct fetch_answer *answer)
{
    const char *text = NULL;
    struct json root;

    if (answer->status >= 200 && answer->status < 300)
        return "";
    if (json_parse(a, answer->body, &root, NULL) == BOUGH_OK)
        text = json_cstr(a, json_member(root, "error"), "message");
    return text ? arena_printf(a, "HTTP %d: %.200s", answer->status, text)
                : arena_printf(a, "HTTP %d", answer->status);
}

static const enum wire *order_of(const char *model)
{
    static const enum wire usual[] = { WIRE_RESPONSES, WIRE_CHAT, WIRE_MESSAGES };
    static const enum wire claude[] = { WIRE_MESSAGES, WIRE_RESPONSES, WIRE_CHAT };

    return strncmp(model, "claude", 6) == 0 ? claude : usual;
}

/* If there is no provider, a missing key says most, then that none has the model, about the chat
 * wire, then that it is of another wire. */
static bool says_more(const struct bough_error *before, const struct bough_error *now,
                      enum wire wire)
{
    if (before->rc == now->rc)
        return wire == WIRE_CHAT;
    return before->rc == BOUGH_INVALID ||
           (before->rc == BOUGH_NOT_FOUND && now->rc == BOUGH_DENIED);
}

static enum bough_rc route_by(struct providers *p, struct bough_arena *a, struct provider_ask *ask,
                              struct provider_route *out, struct bough_error *err)
{
    const enum wire *order = order_of(ask->model);
    struct bough_error kept = { 0 }, now;

    for (size_t i = 0; i < 3; i++) {
        ask->wire = order[i];
        ask->path = wire_path(order[i]) + strlen("/v1");
        if (providers_route(p, a, ask, out, &now) == BOUGH_OK)
            return BOUGH_OK;
        if (!kept.rc || says_more(&kept, &now, order[i]))
            kept = now;
    }
    return bough_fail(err, kept.rc, "%s", kept.msg);
}

/* A provider that names the model has it, whatever wire it speaks; one that may have any model
 * comes last. */
enum bough_rc providers_route_any(struct providers *p, struct bough_arena *a,
                                  struct provider_ask *ask, struct provider_route *out,
                                  struct bough_error *err)
{
    static const enum provider_by rules[] = { PROVIDER_BY_NAME, PROVIDER_BY_PATTERN,
                                              PROVIDER_BY_ALL };
    enum bough_rc rc = BOUGH_NOT_FOUND;

    for (size_t i = ask->name || !*ask->model ? 2 : 0; i < 3 && rc == BOUGH_NOT_FOUND; i++) {
        ask->by = rules[i];
        rc = route_by(p, a, ask, out, err);
    }
    return rc;
}

enum bough_rc providers_try(struct providers *p, struct bough_arena *a, const char *provider,
                            const char *model, struct provider_tried *out, struct bough_error *err)
{
    struct provider_ask ask = { .model = model, .name = provider };
    struct provider_route found;
    struct fetch_options how = { .whole_ms = WHOLE_MS, .most = ANSWER_MOST };
    struct fetch_answer answer;
    enum bough_rc rc = providers_route_any(p, a, &ask, &found, err);
    const struct provider_target *to = found.targets;

    if (rc)
        return rc;
    how.url = to->url;
    how.headers = headers_for(a, to);
    how.body = body_for(a, ask.wire, to->model ? to->model : model);
    how.allow_private = to->allow_private;
    how.connect_ms = to->connect_ms;
    *out = (struct provider_tried){ .provider = to->provider, .path = wire_path(ask.wire) };
    if (fetch(a, &how, &answer)) {
        answer.body = secret_without(a, to, answer.body);
        out->status = answer.status;
        out->ms = answer.ms;
        out->why = reason(a, &answer);
    } else {
        out->why = arena_printf(a, "not reached: %s", answer.why);
    }
    return BOUGH_OK;
}
