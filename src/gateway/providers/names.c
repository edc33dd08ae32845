/* Finds providers by name, and what is known of the local runtimes. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

struct provider *provider_find(const struct provider_set *set, struct bough_str name)
{
    for (size_t i = 0; i < set->n; i++)
        if (str_is(name, set->at[i]->name))
            return set->at[i];
    return NULL;
}

struct provider *provider_add(struct provider_set *set, const char *name, enum provider_kind kind)
{
    struct provider *p = arena_zalloc(set->arena, sizeof *p);

    *p = (struct provider){ .name = name,
                            .kind = kind,
                            .ask_usage = true,
                            .connect_ms = 10000,
                            .first_ms = 600000,
                            .between_ms = 300000,
                            .whole_ms = 3600000 };
    pthread_mutex_init(&p->key_lock, NULL);
    set->at[set->n++] = p;
    return p;
}

/* ---- local runtimes ---- */

static const struct runtime_row runtimes[] = {
    [RUNTIME_NONE] = { "", "", 0, "choose one of these, or start it with that model" },
    [RUNTIME_OLLAMA] = { "ollama", "Ollama", 11434, "get it with: ollama pull ", true },
    [RUNTIME_LMSTUDIO] = { "lmstudio", "LM Studio", 1234, "get it with: lms get ", true },
    [RUNTIME_LLAMACPP] = { "llamacpp", "llama.cpp", 8080, "start llama-server with that model",
                           .owner = "llamacpp" },
    [RUNTIME_VLLM] = { "vllm", "vLLM", 8000, "start it with: vllm serve ", true, "vllm" },
};

const struct runtime_row *runtime_row(enum runtime runtime)
{
    return &runtimes[runtime];
}

enum runtime runtime_named(const char *name)
{
    for (enum runtime i = RUNTIME_OLLAMA; i <= RUNTIME_VLLM; i++)
        if (strcmp(name, runtimes[i].name) == 0)
            return i;
    return RUNTIME_NONE;
}
