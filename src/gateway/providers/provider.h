/* What the files of this folder share: a provider as configured, and what is known of it. */
#ifndef GATEWAY_PROVIDERS_PROVIDER_H
#define GATEWAY_PROVIDERS_PROVIDER_H

#include <pthread.h>

#include "base/env.h"
#include "base/memory/map.h"
#include "gateway/providers.h"
#include "gateway/values.h"

enum {
    PROVIDERS_MOST = 64,
    MODELS_MOST = 5000,  /* of one list */
    NAME_MOST = 40,      /* bytes of a provider's name */
    MODEL_MOST = 200,    /* bytes of a model's name */
    KEY_MOST = 4096,     /* bytes of a key */
    FRESH_MS = 600000,   /* a list of models is trusted this long, then asked for again */
    KEY_KEPT_MS = 60000, /* the output of a key_command is used this long */
};

/* The local runtimes that are known: where they list their models. */
enum runtime { RUNTIME_NONE, RUNTIME_OLLAMA, RUNTIME_LMSTUDIO, RUNTIME_LLAMACPP, RUNTIME_VLLM };

enum key_source { KEY_NONE, KEY_ENV, KEY_FILE, KEY_COMMAND };

struct model_alias {
    const char *name, *model;
};

/* ---- what is known of a provider; guarded by providers.lock ---- */

struct model_list {
    struct bough_arena *arena; /* owns the rest; NULL: there was never a list */
    struct provider_model *at;
    size_t n;
    int64_t time; /* when it was read */
};

struct provider_state {
    struct model_list list;
    bool no_usage; /* it refused stream_options */
    bool asked;    /* `reachable` means something */
    bool reachable;
    bool asking; /* a thread is asking it now */
    bool key_refused;
    int64_t checked, latency_ms;
    int64_t due; /* when to ask it next; 0: at once; INT64_MAX: when it is used */
    int64_t error_time;
    char error[200]; /* the last one; "": none */
};

/* ---- a provider ---- */

struct provider {
    const char *name;
    enum provider_kind kind;
    enum runtime runtime;
    const char *base;   /* "https://api.openai.com/v1", without a slash at its end */
    const char *origin; /* "https://api.openai.com": the key goes nowhere else */
    bool local;         /* it has only the models that it lists */
    enum provider_auth auth;
    bool auth_set;
    enum key_source source;
    const char *key; /* the name of the variable, the path, or the command line */
    struct words models, fallback;
    struct words no_tools; /* names and patterns of models that take none */
    struct model_alias *aliases;
    size_t naliases;
    unsigned wires; /* bits 1 << enum wire */
    const char *price_name;
    bool allow_private, ask_usage, discovered, implicit;
    int retries;
    int64_t connect_ms, first_ms, between_ms, whole_ms;
    unsigned seen; /* bits of the settings that were given */
    struct provider_state state;
    pthread_mutex_t key_lock; /* guards the next two */
    char *kept_key;           /* of a command; NULL: none */
    int64_t kept_until;
};

/* Everything of one configuration. It stays while a thread uses it, also when the configuration was
 * read again. */
struct provider_set {
    struct bough_arena *arena;
    int refs; /* guarded by providers.lock */
    struct provider *at[PROVIDERS_MOST];
    size_t n;
    const char *preferred; /* [gateway] default; NULL: none */
    bool discover;
    int64_t ports[RUNTIME_VLLM + 1];
    struct bough_str prices; /* rows of [price ...] sections, CSV; empty: none */
};

struct providers {
    struct env env;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct provider_set *set;
    bool hides;                /* keys are taken out of the environment */
    struct hidden_key *hidden; /* keys that were taken out of the environment */
    pthread_t thread;
    bool running, stopping;
};

/* ---- settings.c ---- */

/* Read a configuration. The set has one reference, also on failure. `before` has keys that were
 * taken out of the environment; it may be NULL. */
BOUGH_MUST_CHECK enum bough_rc provider_set_read(struct provider_set **out,
                                                 struct providers *before,
                                                 const struct gateway_setting *settings, size_t n,
                                                 struct bough_error *err);

/* ---- names.c ---- */

struct provider *provider_add(struct provider_set *set, const char *name, enum provider_kind kind);
struct provider *provider_find(const struct provider_set *set, struct bough_str name);

struct runtime_row {
    const char *name, *title;
    int64_t port;
    const char *get;   /* how to get a model */
    bool get_named;    /* ... followed by its name */
    const char *owner; /* in owned_by of its list of models; NULL: it says something else */
};

const struct runtime_row *runtime_row(enum runtime runtime);
enum runtime runtime_named(const char *name);

/* ---- values.c: values of settings ---- */

/* The base URL, normalised, and its origin. NULL, with *why: it is refused. */
const char *value_url(struct bough_arena *a, const char *text, bool allow_private,
                      const char **origin, const char **why);
/* Is the host of the origin this machine? */
bool url_is_loopback(const char *origin);

/* ---- prices.c ---- */

/* Turn the [price "provider/pattern"] sections into rows of a table. */
BOUGH_MUST_CHECK enum bough_rc prices_read(struct bough_arena *a,
                                           const struct gateway_setting *settings, size_t n,
                                           struct bough_str *csv, struct bough_error *err);

/* ---- key.c ---- */

/* The key, in `a`. BOUGH_DENIED: there is none; the message says where one is expected. */
BOUGH_MUST_CHECK enum bough_rc provider_key(struct providers *all, struct provider *p,
                                            struct bough_arena *a, const char **key,
                                            struct bough_error *err);
/* Is there a key in this variable, or was there one before it was taken? `all` may be NULL. */
bool key_in_environment(struct providers *all, const char *name);
/* "environment OPENAI_API_KEY", "file /path", "command"; "": none. */
const char *provider_key_where(struct bough_arena *a, const struct provider *p);
/* Take the keys of a set out of the environment. */
void set_hide_keys(struct providers *p, const struct provider_set *set);
void hidden_keys_free(struct hidden_key *keys);

/* ---- command.c ---- */

/* The first line that the command prints, within `ms`. It does not get the variables in `without`,
 * which end with NULL. The caller frees *line with mem_free(). */
BOUGH_MUST_CHECK enum bough_rc command_line(const char *command, const char *const *without,
                                            int64_t ms, char **line, struct bough_error *err);

/* ---- hold.c ---- */

void key_wipe(char *secret);                  /* overwrites and frees it; NULL is allowed */
void provider_forget_key(struct provider *p); /* one that is kept */
void set_free(struct provider_set *set);

struct provider_set *set_hold(struct providers *p); /* the current one */
void set_release(struct providers *p, struct provider_set *set);

/* ---- route.c ---- */

/* Does the pattern, with any number of '*', match the name? */
bool model_matches(const char *pattern, const char *name);
/* The headers that carry the provider's key on this wire: lines, ends with NULL. */
BOUGH_MUST_CHECK enum bough_rc provider_headers(struct providers *all, struct provider *p,
                                                enum wire wire, struct bough_arena *a,
                                                const char *const **out, struct bough_error *err);

/* ---- lists.c: what providers answer about their models, pure ---- */

/* Read a list of models. False: it is none. */
bool list_read(const struct provider *p, struct bough_str json, struct model_list *out);
/* Ollama: mark the models that are loaded. */
void list_mark_loaded(struct model_list *list, struct bough_str json);
void list_finish(struct model_list *list);

/* ---- health.c ---- */

/* Ask a provider how it is and what models it has. Blocks up to 15 s; `stop` may be NULL. */
void provider_ask_now(struct providers *all, struct provider *p, const bool *stop);

#endif
