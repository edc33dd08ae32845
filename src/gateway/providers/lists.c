/* Lists of models, as providers and local runtimes answer them. Pure. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

/* Members that say how many tokens a model takes, in the order they are believed. */
static const char *const context_names[] = {
    "loaded_context_length", "max_model_len",  "max_context_length",
    "context_length",        "context_window", "max_input_tokens",
};

static int64_t context_of(struct json m)
{
    struct json meta = json_member(m, "meta");
    int64_t n;

    for (size_t i = 0; i < sizeof context_names / sizeof *context_names; i++)
        if (json_i64(json_member(m, context_names[i]), &n) && n > 0)
            return n;
    if (json_i64(json_member(meta, "n_ctx"), &n) && n > 0)
        return n;
    return json_i64(json_member(meta, "n_ctx_train"), &n) && n > 0 ? n : 0;
}

/* LM Studio says the state of each model. */
static int loaded_of(const struct provider *p, struct json m)
{
    struct json state = json_member(m, "state");

    if (p->runtime == RUNTIME_LMSTUDIO && json_type(state) == JSON_STRING)
        return json_is(state, "loaded");
    if (json_type(json_member(m, "loaded_instances")) == JSON_ARRAY)
        return json_count(json_member(m, "loaded_instances")) > 0;
    return p->runtime == RUNTIME_LLAMACPP || p->runtime == RUNTIME_VLLM ? 1
           : p->runtime == RUNTIME_OLLAMA                               ? 0
                                                                        : -1;
}

/* OpenRouter lists the parameters of a model, Mistral its capabilities. What other lists have of
 * this name says nothing about tools. */
static int tools_of(struct json m)
{
    struct json taken = json_member(m, "supported_parameters");
    bool calls;

    if (json_bool(json_member(json_member(m, "capabilities"), "function_calling"), &calls))
        return calls;
    if (json_type(taken) != JSON_ARRAY)
        return -1;
    for (struct json_iter it = json_iter(taken); json_next(&it);)
        if (json_is(it.value, "tools"))
            return 1;
    return 0;
}

/* A name that can be shown and sent: printable ASCII without blanks. */
static bool is_model_name(const char *id)
{
    for (const char *c = id; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return *id && strlen(id) <= MODEL_MOST;
}

static void take_model(const struct provider *p, struct json m, struct model_list *out)
{
    const char *id = json_cstr(out->arena, m, "id");

    if (!id)
        id = json_cstr(out->arena, m, p->runtime == RUNTIME_LMSTUDIO ? "key" : "name");
    if (id && p->kind == PROVIDER_GEMINI && strncmp(id, "models/", 7) == 0)
        id += 7;
    if (!id || !is_model_name(id) || out->n == MODELS_MOST)
        return;
    out->at = arena_room(out->arena, out->at, out->n, sizeof *out->at);
    out->at[out->n++] = (struct provider_model){ id, context_of(m), loaded_of(p, m), tools_of(m) };
}

/* Another program may listen on the port of a runtime that is looked for: some say in their list
 * whose it is. */
static bool is_of(const struct provider *p, struct json list)
{
    const char *owner = p->discovered ? runtime_row(p->runtime)->owner : NULL;

    for (struct json_iter it = json_iter(list); owner && json_next(&it);)
        if (json_is(json_member(it.value, "owned_by"), owner))
            return true;
    return !owner;
}

bool list_read(const struct provider *p, struct bough_str text, struct model_list *out)
{
    struct bough_arena *a = bough_arena_create(), *tmp = bough_arena_create();
    struct json root, list;
    bool ok = json_parse(tmp, text, &root, NULL) == BOUGH_OK;

    *out = (struct model_list){ .arena = a };
    if (ok) {
        list = json_member(root, "data");
        if (json_type(list) != JSON_ARRAY)
            list = json_member(root, "models");
        ok = json_type(list) == JSON_ARRAY && is_of(p, list);
    }
    for (struct json_iter it = json_iter(ok ? list : (struct json){ 0 }); json_next(&it);)
        take_model(p, it.value, out);
    bough_arena_destroy(tmp);
    if (!ok)
        list_finish(out);
    return ok;
}

void list_mark_loaded(struct model_list *list, struct bough_str text)
{
    struct bough_arena *tmp = bough_arena_create();
    struct json root;

    if (json_parse(tmp, text, &root, NULL) == BOUGH_OK)
        for (struct json_iter it = json_iter(json_member(root, "models")); json_next(&it);)
            for (size_t i = 0; i < list->n; i++)
                if (json_is(json_member(it.value, "name"), list->at[i].id)) {
                    list->at[i].loaded = 1;
                    (void)json_i64(json_member(it.value, "context_length"), &list->at[i].context);
                }
    bough_arena_destroy(tmp);
}

void list_finish(struct model_list *list)
{
    bough_arena_destroy(list->arena);
    *list = (struct model_list){ 0 };
}
