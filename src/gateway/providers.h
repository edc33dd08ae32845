/*
 * The model providers that a request can be sent to: what the configuration says about them, which
 * one answers for a model, and how they are. Any thread may call these.
 */
#ifndef GATEWAY_PROVIDERS_H
#define GATEWAY_PROVIDERS_H

#include "core/price/price.h"
#include "core/wire/wire.h"

/* A line of the configuration: [section] name = value. */
struct gateway_setting {
    const char *section; /* `provider "local"` */
    const char *name, *value;
};

struct providers;

/* Settings of other sections are ignored. Keys are read when a request needs them, so that a new
 * one counts at once. BOUGH_INVALID names the section and the setting. */
BOUGH_MUST_CHECK enum bough_rc providers_create(struct providers **out,
                                                const struct gateway_setting *settings, size_t n,
                                                struct bough_error *err);
void providers_destroy(struct providers *p); /* NULL is allowed */

/* By which rules a provider is looked for. */
enum provider_by {
    PROVIDER_BY_ALL,     /* all of them, and the wire at last */
    PROVIDER_BY_NAME,    /* a prefix, an alias, or a list that names the model */
    PROVIDER_BY_PATTERN, /* a pattern of its models */
};

/* What a request asks for. */
struct provider_ask {
    enum wire wire;
    const char *path;  /* behind "/v1": "/chat/completions", "/responses/abc/cancel" */
    const char *model; /* as the client sent it; "": the request has none */
    const char *name;  /* this provider only; NULL: any */
    enum provider_by by;
};

/* Where to send it. Everything lives in the arena; `headers` has the provider's key. */
struct provider_target {
    const char *provider;
    const char *price_name;     /* the provider of its prices: "openai", "anthropic", ... */
    const char *url;            /* without query */
    const char *model;          /* the name to send; NULL: as it came */
    const char *const *headers; /* lines "name: value" with the key; ends with NULL */
    bool client_key;            /* auth = client: pass the client's own key on */
    bool allow_private;
    bool ask_usage; /* it takes stream_options.include_usage */
    int64_t connect_ms, first_ms, between_ms, whole_ms;
};

struct provider_route {
    const struct provider_target *targets; /* in the order to try: the provider, its fallbacks */
    size_t n;
    int retries; /* how many more attempts all of them have together */
};

/*
 * Find the providers for a request. BOUGH_NOT_FOUND: no provider has the model; the message says
 * what is there and what to do. BOUGH_INVALID: it is of another wire; the message names the path to
 * use. BOUGH_DENIED: the provider has no key; the message says where one is expected.
 */
BOUGH_MUST_CHECK enum bough_rc providers_route(struct providers *p, struct bough_arena *a,
                                               const struct provider_ask *ask,
                                               struct provider_route *out, struct bough_error *err);

/* A provider refused stream_options: it is not asked for usage again. */
void providers_no_usage(struct providers *p, const char *provider);
/* A request failed because of its model, or the provider was not reached: ask it again soon. `why`
 * is one sentence. */
void providers_failed(struct providers *p, const char *provider, const char *why);

/* ---- the configuration as a whole ---- */

/* Read other settings from now on. What is known of providers that stay as they are is kept. On
 * failure everything stays. */
BOUGH_MUST_CHECK enum bough_rc providers_reload(struct providers *p,
                                                const struct gateway_setting *settings, size_t n,
                                                struct bough_error *err);
/* Take the keys that providers expect in the environment, and erase them there: child processes
 * and /proc do not show them. Call it before other threads read the environment. From then on
 * providers_reload() does the same. */
void providers_hide_keys(struct providers *p);

/* Is it a setting of [gateway] that providers_create() reads? */
bool providers_setting(const char *name);

/* Our prices, with the [price ...] sections of the configuration in front. */
BOUGH_MUST_CHECK enum bough_rc providers_prices(struct providers *p, struct bough_arena *a,
                                                struct price_table *out, struct bough_error *err);
/* The rows of the [price ...] sections alone, as CSV for price_table_with(); empty: none. */
struct bough_str providers_price_rows(struct providers *p, struct bough_arena *a);

/* ---- how providers are ---- */

/* Start and stop the thread that asks providers for their models: at once, every 10 minutes, and
 * soon after a failure. Stopping waits at most about a second. */
BOUGH_MUST_CHECK enum bough_rc providers_start(struct providers *p, struct bough_error *err);
void providers_stop(struct providers *p);

/* Ask one provider, or all (NULL), now, and wait: 15 s a provider at most. Never on a loop thread.
 * BOUGH_NOT_FOUND: there is none of that name. */
BOUGH_MUST_CHECK enum bough_rc providers_refresh(struct providers *p, const char *name,
                                                 struct bough_error *err);

enum provider_kind {
    PROVIDER_OPENAI,
    PROVIDER_ANTHROPIC,
    PROVIDER_GEMINI,
    PROVIDER_COMPATIBLE,
    PROVIDER_DEMO, /* canned answers of this program */
};
const char *provider_kind_name(enum provider_kind kind); /* "openai-compatible" */

enum provider_auth { PROVIDER_KEY, PROVIDER_CLIENT, PROVIDER_NO_AUTH };
const char *provider_auth_name(enum provider_auth auth); /* "key", "client", "none" */

struct provider_model {
    const char *id;
    int64_t context; /* tokens; 0: not known */
    int loaded;      /* of a local runtime: 1 in memory, 0 not; -1: not known */
    int tools;       /* 1: it takes tools, 0: it does not; -1: not known */
};

struct provider_step {
    const char *act;  /* a word for programs: "set_key", "start", "pull_model", ... */
    const char *text; /* a sentence for people */
};

/* How a provider is. Everything lives in the arena; the key itself is never part of it. */
struct provider_info {
    const char *name, *base_url, *price_name;
    enum provider_kind kind;
    enum provider_auth auth;
    unsigned wires;         /* bits 1 << enum wire */
    bool configured;        /* it needs no key, or has one */
    const char *key_source; /* "environment OPENAI_API_KEY", "file /path", "command", "" */
    bool discovered;        /* found on this machine, not configured */
    bool preferred;         /* [gateway] default */
    bool asked, reachable;  /* `reachable` means something once it was asked */
    int64_t checked, latency_ms;
    const struct provider_model *models;
    size_t nmodels;
    int64_t models_time;    /* when the list was read; 0: never */
    const char *last_error; /* ""; the last one, also if it works now */
    int64_t last_error_time;
    const char *blocked; /* why requests cannot go there: "no_key", ...; NULL: they can */
    const struct provider_step *steps;
    size_t nsteps;
};

struct provider_infos {
    const struct provider_info *at;
    size_t n;
};

/* A model as clients name it. */
struct gateway_model {
    const char *id; /* "gpt-5"; "groq/gpt-5" where that goes to another provider */
    const char *provider;
    int64_t context; /* 0: not known */
};

struct gateway_models {
    const struct gateway_model *at;
    size_t n;
};

/* The models of providers that serve one of the wires (bits 1 << enum wire): their aliases, the
 * names in their settings, and what they listed. */
void providers_models(struct providers *p, struct bough_arena *a, unsigned wires,
                      struct gateway_models *out);

/* Does the model of this provider take tools? 1: yes, 0: no, -1: not known. */
int providers_tools(struct providers *p, const char *provider, const char *model);

/* All providers in the order of the configuration, then the local runtimes that were found. */
void providers_list(struct providers *p, struct bough_arena *a, struct provider_infos *out);
/* BOUGH_NOT_FOUND: there is none of that name. */
BOUGH_MUST_CHECK enum bough_rc providers_info(struct providers *p, struct bough_arena *a,
                                              const char *name, struct provider_info *out,
                                              struct bough_error *err);

#endif
