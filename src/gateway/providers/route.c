/* Finds the providers for a request: by prefix, alias, name, pattern, then by the wire. */
#include <ctype.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

struct routing {
    struct providers *all;
    struct provider_set *set;
    struct bough_arena *a;
    const struct provider_ask *ask;
    const char *model; /* the name for the provider that was found */
    struct bough_error *err;
};

/* ---- names of models ---- */

bool model_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *again = NULL;

    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            again = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static const char *alias_of(const struct provider *p, const char *model)
{
    for (size_t i = 0; i < p->naliases; i++)
        if (strcmp(p->aliases[i].name, model) == 0)
            return p->aliases[i].model;
    return NULL;
}

static bool lists(const struct provider *p, const char *model)
{
    for (size_t i = 0; i < p->models.n; i++)
        if (strcmp(p->models.at[i], model) == 0)
            return true;
    for (size_t i = 0; i < p->state.list.n; i++)
        if (strcmp(p->state.list.at[i].id, model) == 0)
            return true;
    return false;
}

/* How well the patterns match: the length of the longest one; 0: none does. */
static size_t pattern_match(const struct provider *p, const char *model)
{
    size_t best = 0;

    for (size_t i = 0; i < p->models.n; i++) {
        size_t n = strlen(p->models.at[i]);

        if (n > best && model_matches(p->models.at[i], model))
            best = n;
    }
    return best;
}

static bool serves(const struct provider *p, enum wire wire)
{
    return p->wires & 1u << wire;
}

/* A runtime that was looked for counts once it was found. */
static bool is_there(const struct provider *p)
{
    return !p->discovered || p->state.reachable;
}

/* ---- the rules, in their order; providers.lock is held ---- */

/* One pass over the providers: the best `score` among those that serve the wire, or among the
 * others. The preferred provider wins a tie, then the first one. */
static struct provider *best(const struct routing *r, bool served,
                             size_t (*score)(const struct provider *p, const char *model))
{
    struct provider *found = NULL;
    size_t most = 0;

    for (size_t i = 0; i < r->set->n; i++) {
        struct provider *p = r->set->at[i];
        size_t n = serves(p, r->ask->wire) == served && is_there(p) ? score(p, r->ask->model) : 0;

        if (n > most || (n && n == most && cstr_eq(p->name, r->set->preferred))) {
            found = p;
            most = n;
        }
    }
    return found;
}

static size_t score_alias(const struct provider *p, const char *model)
{
    return alias_of(p, model) != NULL;
}

static size_t score_listed(const struct provider *p, const char *model)
{
    return lists(p, model);
}

/* Providers whose kind the wire belongs to come first, then other hosted ones. */
static size_t score_wire(const struct provider *p, enum wire wire)
{
    enum provider_kind native = wire == WIRE_MESSAGES ? PROVIDER_ANTHROPIC : PROVIDER_OPENAI;

    return p->kind == native ? 3 : p->local ? 1 : 2;
}

/* The provider for any model of the wire: the preferred one, or the only one of the best kind. */
static struct provider *of_wire(const struct routing *r)
{
    struct provider *found = NULL;
    size_t most = 0;

    for (size_t i = 0; i < r->set->n; i++) {
        struct provider *p = r->set->at[i];
        size_t n = serves(p, r->ask->wire) && is_there(p) ? score_wire(p, r->ask->wire) : 0;

        if (n && cstr_eq(p->name, r->set->preferred))
            return p;
        if (n > most) {
            found = p;
            most = n;
        } else if (n && n == most) {
            found = NULL;
        }
    }
    return found;
}

static struct provider *by_prefix(struct routing *r)
{
    const char *slash = strchr(r->ask->model, '/');
    struct provider *p =
        slash ? provider_find(r->set, str_make(r->ask->model, (size_t)(slash - r->ask->model)))
              : NULL;

    if (!p || !slash[1] || !is_there(p))
        return NULL;
    r->model = slash + 1;
    return p;
}

static struct provider *by_name(struct routing *r)
{
    struct provider *p = provider_find(r->set, str_of(r->ask->name));
    size_t n = p ? strlen(p->name) : 0;

    if (p && strncmp(r->model, p->name, n) == 0 && r->model[n] == '/' && r->model[n + 1])
        r->model += n + 1;
    return p;
}

/* Is a provider of the wire about to be asked for its models? Until then it may have any. */
static bool waits_for_list(const struct routing *r)
{
    for (size_t i = 0; i < r->set->n; i++) {
        const struct provider *p = r->set->at[i];

        if (serves(p, r->ask->wire) && !p->models.n && !p->state.asked && !p->implicit &&
            !p->discovered)
            return true;
    }
    return false;
}

static struct provider *by_rules(struct routing *r)
{
    static size_t (*const rules[])(const struct provider *p, const char *model) = {
        score_alias,
        score_listed,
        pattern_match,
    };
    struct provider *p;

    if (r->ask->by == PROVIDER_BY_PATTERN)
        return best(r, true, pattern_match);
    p = by_prefix(r);
    if (r->ask->by == PROVIDER_BY_NAME) {
        for (size_t i = 0; !p && i < 2; i++)
            p = best(r, true, rules[i]);
        return p;
    }
    for (size_t i = 0; !p && i < 3; i++)
        p = best(r, true, rules[i]);
    for (size_t i = 0; !p && i < 3; i++)
        if (rules[i] != score_listed || !waits_for_list(r))
            p = best(r, false, rules[i]);
    return p ? p : of_wire(r);
}

/* ---- refusals ---- */

static enum bough_rc no_provider(const struct routing *r)
{
    const char *model = r->ask->model;

    if (r->ask->name)
        return bough_fail(r->err, BOUGH_NOT_FOUND, "there is no provider \"%.40s\"", r->ask->name);
    if (!r->set->n)
        return bough_fail(r->err, BOUGH_NOT_FOUND,
                          "no provider is configured: set OPENAI_API_KEY or ANTHROPIC_API_KEY for "
                          "the server, or add a [provider \"name\"] section to its configuration");
    return bough_fail(r->err, BOUGH_NOT_FOUND,
                      "no provider has the model \"%.80s\" for %s: send provider/model, list it in "
                      "the models of a provider, or set default in [gateway]",
                      model, wire_path(r->ask->wire));
}

static enum bough_rc other_wire(const struct routing *r, const struct provider *p)
{
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, 200);
    for (unsigned w = WIRE_CHAT; w <= WIRE_MESSAGES; w++)
        if (serves(p, (enum wire)w))
            buf_printf(&b, "%s%s", b.n ? " or " : "", wire_path((enum wire)w));
    rc = bough_fail(r->err, BOUGH_INVALID,
                    "the model \"%.80s\" is of provider \"%s\", which answers %s: send it there",
                    r->ask->model, p->name, b.p);
    buf_finish(&b);
    return rc;
}

/* What is there instead, and how to get the model. */
static enum bough_rc not_there(const struct routing *r, const struct provider *p)
{
    const struct runtime_row *row = runtime_row(p->runtime);
    const struct model_list *l = &p->state.list;
    enum bough_rc rc;
    struct buf b;

    buf_init(&b, 200);
    for (size_t i = 0; i < l->n && i < 4 && b.n + strlen(l->at[i].id) < 80; i++)
        buf_printf(&b, "%s%s", b.n ? ", " : "", l->at[i].id);
    if (b.n && l->n > 4)
        buf_puts(&b, ", ...");
    rc = bough_fail(r->err, BOUGH_NOT_FOUND, "%s has no model \"%.60s\" (it has %s): %s%s", p->name,
                    r->model, b.n ? b.p : "none", row->get, row->get_named ? r->model : "");
    buf_finish(&b);
    return rc;
}

/* Local runtimes have what they list; llama.cpp answers to any name. */
static bool is_missing(const struct routing *r, const struct provider *p)
{
    const struct model_list *l = &p->state.list;

    return p->local && *r->model && l->time && p->runtime != RUNTIME_LLAMACPP &&
           env_now(&r->all->env) - l->time < FRESH_MS && !lists(p, r->model) &&
           !pattern_match(p, r->model);
}

/* The first provider, and the name it has for the model. The lock is held. */
static enum bough_rc find(struct routing *r, struct provider **out)
{
    struct provider *p;

    r->model = r->ask->model;
    p = r->ask->name ? by_name(r) : *r->ask->model ? by_rules(r) : of_wire(r);
    if (!p)
        return no_provider(r);
    if (alias_of(p, r->model))
        r->model = alias_of(p, r->model);
    if (!serves(p, r->ask->wire))
        return other_wire(r, p);
    if (is_missing(r, p))
        return not_there(r, p);
    *out = p;
    return BOUGH_OK;
}

/* ---- targets ---- */

enum bough_rc provider_headers(struct providers *all, struct provider *p, enum wire wire,
                               struct bough_arena *a, const char *const **out,
                               struct bough_error *err)
{
    const char **lines = arena_array(a, 2, sizeof *lines);
    const char *key;
    enum bough_rc rc;

    *out = lines;
    if (p->auth != PROVIDER_KEY)
        return BOUGH_OK;
    rc = provider_key(all, p, a, &key, err);
    if (rc)
        return rc;
    lines[0] = p->kind == PROVIDER_ANTHROPIC || wire == WIRE_MESSAGES
                   ? arena_printf(a, "x-api-key: %s", key)
                   : arena_printf(a, "Authorization: Bearer %s", key);
    return BOUGH_OK;
}

/* The path comes from the client: everything but plain characters is escaped. */
static const char *url_for(const struct routing *r, const struct provider *p)
{
    const char *path = r->ask->path;
    const char *url;
    struct buf b;

    buf_init(&b, 4096);
    buf_puts(&b, p->base);
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-_.~", *path))
            buf_putc(&b, *path);
        else
            buf_printf(&b, "%%%02X", (unsigned)(unsigned char)*path);
    url = b.over ? NULL : arena_strndup(r->a, b.p, b.n);
    buf_finish(&b);
    return url;
}

static bool path_is_safe(const char *path)
{
    return *path == '/' && !strstr(path, "/.") && !strstr(path, "//");
}

/* Everything but the headers. `model` is the provider's name for it. The lock is held. */
static void fill(const struct routing *r, const struct provider *p, const char *model,
                 struct provider_target *to)
{
    *to = (struct provider_target){
        .provider = arena_strdup(r->a, p->name),
        .price_name = arena_strdup(r->a, p->price_name),
        .url = url_for(r, p),
        .model = strcmp(model, r->ask->model) != 0 ? arena_strdup(r->a, model) : NULL,
        .client_key = p->auth == PROVIDER_CLIENT,
        .allow_private = p->allow_private,
        .ask_usage = p->ask_usage && !p->state.no_usage,
        .connect_ms = p->connect_ms,
        .first_ms = p->first_ms,
        .between_ms = p->between_ms,
        .whole_ms = p->whole_ms,
    };
}

struct targets {
    struct provider_target at[PROVIDERS_MOST];
    struct provider *of[PROVIDERS_MOST];
    size_t n;
};

static void add_fallbacks(struct routing *r, const struct provider *p, struct targets *to)
{
    const char *first = r->model;

    for (size_t i = 0; i < p->fallback.n && to->n < PROVIDERS_MOST; i++) {
        struct provider *other = provider_find(r->set, str_of(p->fallback.at[i]));
        const char *alias = alias_of(other, r->ask->model);

        r->model = alias ? alias : alias_of(other, first) ? alias_of(other, first) : first;
        if (!serves(other, r->ask->wire) || is_missing(r, other))
            continue;
        fill(r, other, r->model, &to->at[to->n]);
        to->of[to->n++] = other;
    }
    r->model = first;
}

/* A fallback without a key is left out. */
static enum bough_rc add_headers(struct routing *r, struct targets *to)
{
    size_t n = 0;

    for (size_t i = 0; i < to->n; i++) {
        enum bough_rc rc = provider_headers(r->all, to->of[i], r->ask->wire, r->a,
                                            &to->at[i].headers, i ? NULL : r->err);

        if (rc && i == 0)
            return rc;
        if (!rc)
            to->at[n++] = to->at[i];
    }
    to->n = n;
    return BOUGH_OK;
}

/* A provider that is not in the configuration is asked for its models once it is used. */
static void wake(struct providers *all, struct provider *p)
{
    if (p->state.due != INT64_MAX || p->state.asked)
        return;
    p->state.due = 0;
    pthread_cond_broadcast(&all->changed);
}

enum bough_rc providers_route(struct providers *p, struct bough_arena *a,
                              const struct provider_ask *ask, struct provider_route *out,
                              struct bough_error *err)
{
    struct routing r = { .all = p, .a = a, .ask = ask, .err = err };
    struct targets to = { 0 };
    struct provider *first = NULL;
    struct provider_target *at;
    enum bough_rc rc;

    if (!path_is_safe(ask->path) || strlen(ask->path) > 1000)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no such path");
    r.set = set_hold(p);
    pthread_mutex_lock(&p->lock);
    rc = find(&r, &first);
    if (first) {
        fill(&r, first, r.model, &to.at[0]);
        to.of[to.n++] = first;
        add_fallbacks(&r, first, &to);
        wake(p, first);
    }
    pthread_mutex_unlock(&p->lock);
    if (first)
        rc = add_headers(&r, &to); /* may run a command: without the lock */
    if (first && !rc) {
        at = arena_array(a, to.n, sizeof *at); /* only these: the request keeps them for long */
        memcpy(at, to.at, to.n * sizeof *at);
        *out = (struct provider_route){ .targets = at, .n = to.n, .retries = first->retries };
    }
    set_release(p, r.set);
    return rc;
}
