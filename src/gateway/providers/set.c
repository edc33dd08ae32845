/* The providers as a whole: created from a configuration, read again, used by many threads. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

/* ---- create and destroy ---- */

enum bough_rc providers_create(struct providers **out, const struct gateway_setting *settings,
                               size_t n, struct bough_error *err)
{
    struct provider_set *set;
    enum bough_rc rc = provider_set_read(&set, NULL, settings, n, err);
    pthread_condattr_t attr;
    struct providers *p;

    if (rc) {
        set_free(set);
        return rc;
    }
    p = mem_zalloc(sizeof *p);
    p->env = env_system;
    p->set = set;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &attr);
    pthread_condattr_destroy(&attr);
    *out = p;
    return BOUGH_OK;
}

void providers_destroy(struct providers *p)
{
    if (!p)
        return;
    providers_stop(p);
    set_release(p, p->set);
    hidden_keys_free(p->hidden);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

/* ---- another configuration ---- */

static bool same_place(const struct provider *a, const struct provider *b)
{
    return strcmp(a->base, b->base) == 0 && a->kind == b->kind && a->runtime == b->runtime &&
           a->auth == b->auth && a->source == b->source && cstr_eq(a->key, b->key);
}

/* Move what is known of a provider; the lock is held. The old set may still be in use, so it keeps
 * a state without a list. */
static void take_over(struct provider *to, struct provider *from)
{
    to->state = from->state;
    to->state.no_usage = false;
    to->state.asking = false;
    to->state.due = to->implicit ? from->state.due : 0;
    from->state.list = (struct model_list){ 0 };
}

enum bough_rc providers_reload(struct providers *p, const struct gateway_setting *settings,
                               size_t n, struct bough_error *err)
{
    struct provider_set *set, *old;
    enum bough_rc rc = provider_set_read(&set, p, settings, n, err);

    if (rc) {
        set_free(set);
        return rc;
    }
    if (p->hides) /* before a request can read one while it is erased */
        set_hide_keys(p, set);
    pthread_mutex_lock(&p->lock);
    old = p->set;
    for (size_t i = 0; i < set->n; i++) {
        struct provider *before = provider_find(old, str_of(set->at[i]->name));

        if (before && same_place(before, set->at[i]))
            take_over(set->at[i], before);
    }
    p->set = set;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    set_release(p, old);
    return BOUGH_OK;
}

/* ---- what requests tell ---- */

static void note(struct providers *p, const char *name, const char *why)
{
    struct provider *one;
    int64_t now = env_now(&p->env), soon;

    pthread_mutex_lock(&p->lock);
    one = provider_find(p->set, str_of(name));
    if (one && !why) {
        one->state.no_usage = true;
    } else if (one) {
        struct provider_state *s = &one->state;

        s->error_time = now;
        (void)snprintf(s->error, sizeof s->error, "%s", why);
        soon = s->checked + 10000 > now ? s->checked + 10000 : now + 1000;
        s->due = soon < s->due ? soon : s->due;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
}

void providers_no_usage(struct providers *p, const char *provider)
{
    note(p, provider, NULL);
}

void providers_failed(struct providers *p, const char *provider, const char *why)
{
    note(p, provider, why);
}
