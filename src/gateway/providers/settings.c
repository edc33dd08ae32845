/* Reads the [provider "name"] sections of the configuration, and what [gateway] says of providers.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/near.h"
#include "base/text/str.h"
#include "gateway/demo/demo.h"
#include "gateway/providers/provider.h"

struct reading {
    struct provider_set *set;
    struct providers *before;
    const struct gateway_setting *at; /* the line that is read */
    struct bough_error *err;
};

static enum bough_rc bad(const struct reading *r, const char *what)
{
    return bough_fail(r->err, BOUGH_INVALID, "[%.60s] %.40s: %s", r->at->section, r->at->name,
                      what);
}

/* ---- kinds ---- */

static const struct kind_row {
    const char *name, *base, *key_env, *price_name;
    unsigned wires;
} kinds[] = {
    [PROVIDER_OPENAI] = { "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "openai",
                          1 << WIRE_CHAT | 1 << WIRE_RESPONSES },
    [PROVIDER_ANTHROPIC] = { "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY",
                             "anthropic", 1 << WIRE_MESSAGES },
    [PROVIDER_GEMINI] = { "gemini", "https://generativelanguage.googleapis.com/v1beta/openai",
                          "GEMINI_API_KEY", "google", 1 << WIRE_CHAT },
    [PROVIDER_COMPATIBLE] = { "openai-compatible", NULL, NULL, NULL, 1 << WIRE_CHAT },
    [PROVIDER_DEMO] = { "demo", DEMO_BASE, NULL, "demo", 1 << WIRE_CHAT },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const char *provider_kind_name(enum provider_kind kind)
{
    return kinds[kind].name;
}

static const char *const auths[] = { "key", "client", "none" };

const char *provider_auth_name(enum provider_auth auth)
{
    return auths[auth];
}

/* ---- one function a setting ---- */

static enum bough_rc take_kind(struct reading *r, struct provider *p, const char *value)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(value, kinds[i].name) == 0) {
            p->kind = (enum provider_kind)i;
            return BOUGH_OK;
        }
    return bad(r, "expected openai, anthropic, gemini, openai-compatible or demo");
}

static enum bough_rc take_base(struct reading *r, struct provider *p, const char *value)
{
    p->base = arena_strdup(r->set->arena, value); /* checked when all settings are known */
    return BOUGH_OK;
}

static enum bough_rc take_key(struct reading *r, struct provider *p, const char *value,
                              enum key_source source)
{
    if (p->source != KEY_NONE)
        return bad(r, "only one of key_env, key_file and key_command can be set");
    if (!*value)
        return bad(r, "a value is needed");
    p->source = source;
    p->key = arena_strdup(r->set->arena, value);
    return BOUGH_OK;
}

static enum bough_rc take_key_env(struct reading *r, struct provider *p, const char *value)
{
    for (const char *c = value; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return bad(r, "expected the name of an environment variable, not the key");
    return take_key(r, p, value, KEY_ENV);
}

static enum bough_rc take_key_file(struct reading *r, struct provider *p, const char *value)
{
    const char *home = getenv("HOME");

    if (strncmp(value, "~/", 2) == 0 && home)
        value = arena_printf(r->set->arena, "%s%s", home, value + 1);
    return *value == '/' ? take_key(r, p, value, KEY_FILE) : bad(r, "expected a path from /");
}

static enum bough_rc take_key_command(struct reading *r, struct provider *p, const char *value)
{
    return take_key(r, p, value, KEY_COMMAND);
}

static enum bough_rc take_auth(struct reading *r, struct provider *p, const char *value)
{
    for (size_t i = 0; i < sizeof auths / sizeof *auths; i++)
        if (strcmp(value, auths[i]) == 0) {
            p->auth = (enum provider_auth)i;
            p->auth_set = true;
            return BOUGH_OK;
        }
    return bad(r, "expected key, client or none");
}

static enum bough_rc take_models(struct reading *r, struct provider *p, const char *value)
{
    return value_words(r->set->arena, value, &p->models) ? BOUGH_OK
                                                         : bad(r, "the list is too long");
}

static enum bough_rc take_no_tools(struct reading *r, struct provider *p, const char *value)
{
    return value_words(r->set->arena, value, &p->no_tools) ? BOUGH_OK
                                                           : bad(r, "the list is too long");
}

static enum bough_rc take_alias(struct reading *r, struct provider *p, const char *value)
{
    struct words pairs = { 0 };

    if (!value_words(r->set->arena, value, &pairs))
        return bad(r, "the list is too long");
    for (size_t i = 0; i < pairs.n; i++) {
        const char *pair = pairs.at[i], *equal = strchr(pair, '=');

        if (!equal || equal == pair || !equal[1])
            return bad(r, "expected pairs such as fast=gpt-5-mini, separated by blanks");
        p->aliases = arena_room(r->set->arena, p->aliases, p->naliases, sizeof *p->aliases);
        p->aliases[p->naliases++] =
            (struct model_alias){ arena_strndup(r->set->arena, pair, (size_t)(equal - pair)),
                                  equal + 1 };
    }
    return BOUGH_OK;
}

static enum bough_rc take_wires(struct reading *r, struct provider *p, const char *value)
{
    struct words names = { 0 };

    if (!value_words(r->set->arena, value, &names) || !names.n)
        return bad(r, "expected chat, responses or messages");
    for (size_t i = 0; i < names.n; i++) {
        unsigned wire = 0;

        for (unsigned k = WIRE_CHAT; k <= WIRE_MESSAGES; k++)
            if (strcmp(names.at[i], wire_name((enum wire)k)) == 0)
                wire = 1u << k;
        if (!wire)
            return bad(r, "expected chat, responses or messages");
        p->wires |= wire;
    }
    return BOUGH_OK;
}

static enum bough_rc take_price_provider(struct reading *r, struct provider *p, const char *value)
{
    p->price_name = arena_strdup(r->set->arena, value);
    return *value ? BOUGH_OK : bad(r, "a value is needed");
}

static enum bough_rc take_private(struct reading *r, struct provider *p, const char *value)
{
    return value_bool(value, &p->allow_private) ? BOUGH_OK : bad(r, "expected yes or no");
}

static enum bough_rc take_ask_usage(struct reading *r, struct provider *p, const char *value)
{
    return value_bool(value, &p->ask_usage) ? BOUGH_OK : bad(r, "expected yes or no");
}

static enum bough_rc take_fallback(struct reading *r, struct provider *p, const char *value)
{
    return value_words(r->set->arena, value, &p->fallback) ? BOUGH_OK
                                                           : bad(r, "the list is too long");
}

static enum bough_rc take_retries(struct reading *r, struct provider *p, const char *value)
{
    int64_t n;

    if (!value_i64(value, 0, 5, &n))
        return bad(r, "expected 0 to 5");
    p->retries = (int)n;
    return BOUGH_OK;
}

static enum bough_rc take_time(struct reading *r, int64_t *out, const char *value)
{
    return value_ms(value, out) ? BOUGH_OK
                                : bad(r, "expected a time such as 500ms, 10s, 5m or 1h, up to 24h");
}

static enum bough_rc take_connect(struct reading *r, struct provider *p, const char *value)
{
    return take_time(r, &p->connect_ms, value);
}

static enum bough_rc take_first(struct reading *r, struct provider *p, const char *value)
{
    return take_time(r, &p->first_ms, value);
}

static enum bough_rc take_between(struct reading *r, struct provider *p, const char *value)
{
    return take_time(r, &p->between_ms, value);
}

static enum bough_rc take_whole(struct reading *r, struct provider *p, const char *value)
{
    return take_time(r, &p->whole_ms, value);
}

static const struct setting_row {
    const char *name;
    enum bough_rc (*take)(struct reading *r, struct provider *p, const char *value);
    bool list; /* may be given more than once */
} rows[] = {
    { "alias", take_alias, true },
    { "allow_private", take_private },
    { "ask_usage", take_ask_usage },
    { "auth", take_auth },
    { "base_url", take_base },
    { "between_timeout", take_between },
    { "connect_timeout", take_connect },
    { "fallback", take_fallback, true },
    { "first_timeout", take_first },
    { "key_command", take_key_command },
    { "key_env", take_key_env },
    { "key_file", take_key_file },
    { "kind", take_kind },
    { "models", take_models, true },
    { "no_tools", take_no_tools, true },
    { "price_provider", take_price_provider },
    { "retries", take_retries },
    { "whole_timeout", take_whole },
    { "wires", take_wires, true },
};

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS <= 32, "one bit of provider.seen a setting");

static enum bough_rc unknown(struct reading *r)
{
    struct near n = near_begin(r->at->name);

    for (size_t i = 0; i < ROWS; i++)
        near_try(&n, rows[i].name);
    if (near_best(&n))
        return bad(r, arena_printf(r->set->arena, "there is no such setting; did you mean %s?",
                                   near_best(&n)));
    return bad(r, "there is no such setting");
}

static enum bough_rc take_setting(struct reading *r, struct provider *p)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(r->at->name, rows[i].name) != 0)
            continue;
        if (!rows[i].list && (p->seen & 1u << i))
            return bad(r, "it is set twice");
        p->seen |= 1u << i;
        return rows[i].take(r, p, r->at->value);
    }
    return unknown(r);
}

static bool was_set(const struct provider *p, const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return p->seen & 1u << i;
    return false;
}

/* ---- providers ---- */

/* The name in `provider "name"`; empty: it is another section. */
static struct bough_str section_name(const char *section)
{
    static const char word[] = "provider";
    size_t n = strlen(section);

    if (strncmp(section, word, sizeof word - 1) != 0)
        return str_of("");
    section += sizeof word - 1;
    n -= sizeof word - 1;
    while (*section == ' ') {
        section++;
        n--;
    }
    if (n < 3 || *section != '"' || section[n - 1] != '"')
        return str_of("");
    return str_make(section + 1, n - 2);
}

static bool is_name(struct bough_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!isalnum((unsigned char)name.p[i]) && !strchr("-_.", name.p[i]))
            return false;
    return name.n && name.n <= NAME_MOST && isalnum((unsigned char)*name.p);
}

static enum bough_rc read_provider(struct reading *r)
{
    struct bough_str name = section_name(r->at->section);
    struct provider *p = provider_find(r->set, name);

    if (!is_name(name))
        return bough_fail(r->err, BOUGH_INVALID,
                          "[%.60s]: expected [provider \"name\"] with a name of up to %d letters, "
                          "digits, dots, dashes and underscores",
                          r->at->section, NAME_MOST);
    if (!p && r->set->n == PROVIDERS_MOST)
        return bough_fail(r->err, BOUGH_INVALID, "[%.60s]: there can be %d providers",
                          r->at->section, PROVIDERS_MOST);
    if (!p)
        p = provider_add(r->set, arena_strndup(r->set->arena, name.p, name.n), PROVIDER_OPENAI);
    return take_setting(r, p);
}

/* ---- defaults, and settings that must fit together ---- */

static enum bough_rc misfit(const struct provider *p, const char *name, const char *what,
                            struct bough_error *err)
{
    return bough_fail(err, BOUGH_INVALID, "[provider \"%s\"] %s: %s", p->name, name, what);
}

static enum bough_rc finish_base(struct provider_set *set, struct provider *p,
                                 struct bough_error *err)
{
    const char *text = p->base ? p->base : kinds[p->kind].base, *why;

    if (!text)
        return misfit(p, "base_url", "an openai-compatible provider needs one", err);
    if (p->kind == PROVIDER_DEMO && p->base)
        return misfit(p, "base_url", "the demo provider is this program, and has none", err);
    p->allow_private |= p->kind == PROVIDER_DEMO;
    p->base = value_url(set->arena, text, p->allow_private, &p->origin, &why);
    return p->base ? BOUGH_OK : misfit(p, "base_url", why, err);
}

static enum bough_rc finish_key(struct provider *p, struct bough_error *err)
{
    if (p->source != KEY_NONE && p->auth_set && p->auth != PROVIDER_KEY)
        return misfit(p, "auth", "with a key it can only be key", err);
    if (p->source == KEY_NONE && p->auth == PROVIDER_KEY && kinds[p->kind].key_env) {
        p->source = KEY_ENV;
        p->key = kinds[p->kind].key_env;
    }
    if (p->source == KEY_NONE && p->auth == PROVIDER_KEY && p->auth_set)
        return misfit(p, "auth", "set key_env, key_file or key_command too", err);
    if (p->source == KEY_NONE && !p->auth_set)
        p->auth = PROVIDER_NO_AUTH;
    return BOUGH_OK;
}

static enum bough_rc provider_finish(struct provider_set *set, struct provider *p,
                                     struct bough_error *err)
{
    enum bough_rc rc = finish_base(set, p, err);

    if (!rc)
        rc = finish_key(p, err);
    if (!p->wires)
        p->wires = kinds[p->kind].wires;
    if (!p->price_name)
        p->price_name = kinds[p->kind].price_name ? kinds[p->kind].price_name : p->name;
    if (!rc && p->kind == PROVIDER_COMPATIBLE) {
        p->runtime = runtime_named(p->price_name);
        p->local = p->runtime != RUNTIME_NONE || url_is_loopback(p->origin);
    }
    p->local |= p->kind == PROVIDER_DEMO;
    return rc;
}

static enum bough_rc finish_fallback(const struct provider_set *set, const struct provider *p,
                                     struct bough_error *err)
{
    for (size_t i = 0; i < p->fallback.n; i++) {
        const struct provider *other = provider_find(set, str_of(p->fallback.at[i]));

        if (!other || other == p)
            return misfit(p, "fallback", "it names no other provider", err);
        if (!(other->wires & p->wires))
            return misfit(p, "fallback", "the two have no wire in common", err);
    }
    return BOUGH_OK;
}

/* ---- [gateway] ---- */

/* Local runtimes to look for, unless a provider of that name is configured. */
static enum bough_rc discover_add(struct provider_set *set, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (enum runtime i = RUNTIME_OLLAMA; i <= RUNTIME_VLLM && !rc; i++) {
        struct provider *p;

        if (!set->ports[i] || provider_find(set, str_of(runtime_row(i)->name)) ||
            set->n == PROVIDERS_MOST)
            continue;
        p = provider_add(set, runtime_row(i)->name, PROVIDER_COMPATIBLE);
        p->base = arena_printf(set->arena, "http://127.0.0.1:%d", (int)set->ports[i]);
        p->allow_private = true;
        p->discovered = true;
        rc = provider_finish(set, p, err);
    }
    return rc;
}

bool providers_setting(const char *name)
{
    static const char *const names[] = {
        "default", "discover", "llamacpp_port", "lmstudio_port", "ollama_port", "vllm_port", NULL,
    };

    return str_among(str_of(name), names);
}

static enum bough_rc read_gateway(struct reading *r)
{
    const char *name = r->at->name, *value = r->at->value;

    if (!providers_setting(name))
        return BOUGH_OK; /* of another part of the gateway */
    if (strcmp(name, "default") == 0) {
        r->set->preferred = arena_strdup(r->set->arena, value);
        return BOUGH_OK;
    }
    if (strcmp(name, "discover") == 0)
        return value_bool(value, &r->set->discover) ? BOUGH_OK : bad(r, "expected yes or no");
    for (enum runtime i = RUNTIME_OLLAMA; i <= RUNTIME_VLLM; i++) {
        const char *of = runtime_row(i)->name;

        if (strncmp(name, of, strlen(of)) == 0 && !value_i64(value, 0, 65535, &r->set->ports[i]))
            return bad(r, "expected a port, or 0 to not look for it");
    }
    return BOUGH_OK;
}

/* ---- the whole ---- */

/* Without any section, the usual variables are enough. */
static enum bough_rc add_implicit(struct provider_set *set, struct providers *before,
                                  struct bough_error *err)
{
    static const enum provider_kind usual[] = { PROVIDER_OPENAI, PROVIDER_ANTHROPIC };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < 2 && !rc; i++) {
        struct provider *p;

        if (!key_in_environment(before, kinds[usual[i]].key_env))
            continue;
        p = provider_add(set, kinds[usual[i]].name, usual[i]);
        p->implicit = true;
        p->state.due = INT64_MAX;
        rc = provider_finish(set, p, err);
    }
    return rc;
}

static enum bough_rc finish(const struct reading *r)
{
    struct provider_set *set = r->set;
    struct bough_error *err = r->err;
    size_t n = set->n; /* of sections */
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i++)
        rc = was_set(set->at[i], "kind") ? provider_finish(set, set->at[i], err)
                                         : misfit(set->at[i], "kind", "it is needed", err);
    if (!rc && !n)
        rc = add_implicit(set, r->before, err);
    for (size_t i = 0; i < n && !rc; i++)
        rc = finish_fallback(set, set->at[i], err);
    if (!rc && set->discover)
        rc = discover_add(set, err);
    if (!rc && set->preferred && !provider_find(set, str_of(set->preferred)))
        rc = bough_fail(err, BOUGH_INVALID, "[gateway] default: there is no provider \"%.40s\"",
                        set->preferred);
    return rc;
}

enum bough_rc provider_set_read(struct provider_set **out, struct providers *before,
                                const struct gateway_setting *settings, size_t n,
                                struct bough_error *err)
{
    struct provider_set *set = mem_zalloc(sizeof *set);
    struct reading r = { .set = set, .before = before, .err = err };
    enum bough_rc rc = BOUGH_OK;

    set->arena = bough_arena_create();
    set->refs = 1;
    for (enum runtime i = RUNTIME_OLLAMA; i <= RUNTIME_VLLM; i++)
        set->ports[i] = runtime_row(i)->port;
    for (size_t i = 0; i < n && !rc; i++) {
        r.at = &settings[i];
        if (strncmp(r.at->section, "provider", 8) == 0)
            rc = read_provider(&r);
        else if (strcmp(r.at->section, "gateway") == 0)
            rc = read_gateway(&r);
    }
    if (!rc)
        rc = finish(&r);
    if (!rc)
        rc = prices_read(set->arena, settings, n, &set->prices, err);
    *out = set;
    return rc;
}
