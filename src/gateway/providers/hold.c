/* References to a configuration: it is freed when the last thread has stopped using it. */
#include <string.h>

#include "base/memory/mem.h"
#include "gateway/providers/provider.h"

void key_wipe(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    mem_free(secret);
}

void provider_forget_key(struct provider *p)
{
    pthread_mutex_lock(&p->key_lock);
    key_wipe(p->kept_key);
    p->kept_key = NULL;
    pthread_mutex_unlock(&p->key_lock);
}

void set_free(struct provider_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        provider_forget_key(set->at[i]);
        pthread_mutex_destroy(&set->at[i]->key_lock);
        list_finish(&set->at[i]->state.list);
    }
    bough_arena_destroy(set->arena);
    mem_free(set);
}

struct provider_set *set_hold(struct providers *p)
{
    struct provider_set *set;

    pthread_mutex_lock(&p->lock);
    set = p->set;
    set->refs++;
    pthread_mutex_unlock(&p->lock);
    return set;
}

void set_release(struct providers *p, struct provider_set *set)
{
    bool last;

    pthread_mutex_lock(&p->lock);
    last = --set->refs == 0;
    pthread_mutex_unlock(&p->lock);
    if (last)
        set_free(set);
}
