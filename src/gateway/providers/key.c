/* The keys of providers: read from the environment, a file or a command when a request needs one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

enum { COMMAND_MS = 10000 };

/* A key that was taken out of the environment. */
struct hidden_key {
    struct hidden_key *next;
    char *name, *value;
};

static char *copy(const char *s)
{
    size_t n = strlen(s) + 1;

    return memcpy(mem_alloc(n), s, n);
}

/* ---- the environment ---- */

void hidden_keys_free(struct hidden_key *keys)
{
    while (keys) {
        struct hidden_key *next = keys->next;

        key_wipe(keys->value);
        mem_free(keys->name);
        mem_free(keys);
        keys = next;
    }
}

static struct hidden_key *hidden(struct providers *all, const char *name)
{
    struct hidden_key *k;

    pthread_mutex_lock(&all->lock);
    for (k = all->hidden; k && strcmp(k->name, name) != 0;)
        k = k->next;
    pthread_mutex_unlock(&all->lock);
    return k;
}

bool key_in_environment(struct providers *all, const char *name)
{
    return !cstr_empty(getenv(name)) || (all && hidden(all, name));
}

/* Keep a copy, then overwrite the characters in place: an unset variable would still be shown by
 * /proc. */
static void hide(struct providers *all, const char *name)
{
    char *value = getenv(name);
    struct hidden_key *k;

    if (cstr_empty(value) || hidden(all, name))
        return;
    k = mem_zalloc(sizeof *k);
    k->name = copy(name);
    k->value = copy(value);
    pthread_mutex_lock(&all->lock);
    k->next = all->hidden;
    all->hidden = k;
    pthread_mutex_unlock(&all->lock);
    explicit_bzero(value, strlen(value));
}

void set_hide_keys(struct providers *p, const struct provider_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->at[i]->source == KEY_ENV)
            hide(p, set->at[i]->key);
}

void providers_hide_keys(struct providers *p)
{
    struct provider_set *set = set_hold(p);

    p->hides = true;
    set_hide_keys(p, set);
    set_release(p, set);
}

static enum bough_rc from_env(struct providers *all, const struct provider *p,
                              struct bough_arena *a, const char **key, struct bough_error *err)
{
    const char *value = getenv(p->key);
    struct hidden_key *k = cstr_empty(value) ? hidden(all, p->key) : NULL;

    *key = arena_strdup(a, k ? k->value : value);
    return cstr_empty(*key)
               ? bough_fail(err, BOUGH_DENIED,
                            "provider \"%s\" has no key: set %s in the server's environment",
                            p->name, p->key)
               : BOUGH_OK;
}

/* ---- a file ---- */

static enum bough_rc no_file(const struct provider *p, const char *why, struct bough_error *err)
{
    return bough_fail(err, BOUGH_DENIED, "provider \"%s\" has no key: its key_file %.100s %s",
                      p->name, p->key, why);
}

static enum bough_rc from_file(const struct provider *p, struct bough_arena *a, const char **key,
                               struct bough_error *err)
{
    int fd = open(p->key, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    char *text;
    ssize_t n;

    if (fd < 0)
        return no_file(p, errno == ENOENT ? "does not exist" : "cannot be read", err);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_mode & (S_IRWXO | S_IWGRP))) {
        close(fd);
        return no_file(p, "must be a file that others cannot read: chmod 600", err);
    }
    text = arena_zalloc(a, KEY_MOST + 2);
    n = read(fd, text, KEY_MOST + 1);
    close(fd);
    if (n < 0 || n > KEY_MOST)
        return no_file(p, "cannot be read, or is too long", err);
    text[strcspn(text, "\r\n")] = '\0';
    *key = text;
    return *text ? BOUGH_OK : no_file(p, "is empty", err);
}

/* ---- a command ---- */

/* Variables with keys, of all providers: the command does not get them. */
static const char *const *key_variables(struct providers *all, struct bough_arena *a)
{
    struct provider_set *set = set_hold(all);
    const char **out = arena_array(a, set->n + 1, sizeof *out);
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++)
        if (set->at[i]->source == KEY_ENV)
            out[n++] = arena_strdup(a, set->at[i]->key);
    set_release(all, set);
    return out;
}

/* Requests that come together wait for one run of the command. */
static enum bough_rc from_command(struct providers *all, struct provider *p, struct bough_arena *a,
                                  const char **key, struct bough_error *err)
{
    const char *const *without = key_variables(all, a);
    struct bough_error inner;
    enum bough_rc rc = BOUGH_OK;

    pthread_mutex_lock(&p->key_lock);
    if (!p->kept_key || env_now(&all->env) >= p->kept_until) {
        key_wipe(p->kept_key);
        p->kept_key = NULL;
        rc = command_line(p->key, without, COMMAND_MS, &p->kept_key, &inner);
        p->kept_until = env_now(&all->env) + KEY_KEPT_MS;
    }
    *key = arena_strdup(a, p->kept_key);
    pthread_mutex_unlock(&p->key_lock);
    return rc ? bough_fail(err, BOUGH_DENIED, "provider \"%s\" has no key: its key_command: %s",
                           p->name, inner.msg)
              : BOUGH_OK;
}

/* ---- all of them ---- */

/* A key is sent as a header: printable ASCII, without blanks. */
static bool fits_header(const char *key)
{
    for (; *key; key++)
        if (*key <= ' ' || *key > '~')
            return false;
    return true;
}

enum bough_rc provider_key(struct providers *all, struct provider *p, struct bough_arena *a,
                           const char **key, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_DENIED;

    *key = NULL;
    switch (p->source) {
    case KEY_NONE:
        return bough_fail(err, BOUGH_DENIED, "provider \"%s\" has no key", p->name);
    case KEY_ENV:
        rc = from_env(all, p, a, key, err);
        break;
    case KEY_FILE:
        rc = from_file(p, a, key, err);
        break;
    case KEY_COMMAND:
        rc = from_command(all, p, a, key, err);
        break;
    }
    if (!rc && *key && (strlen(*key) > KEY_MOST || !fits_header(*key)))
        rc = bough_fail(err, BOUGH_DENIED,
                        "the key of provider \"%s\" (%s) has a blank or another character that a "
                        "key cannot have",
                        p->name, provider_key_where(a, p));
    return rc;
}

const char *provider_key_where(struct bough_arena *a, const struct provider *p)
{
    switch (p->source) {
    case KEY_NONE:
        break;
    case KEY_ENV:
        return arena_printf(a, "environment %s", p->key);
    case KEY_FILE:
        return arena_printf(a, "file %s", p->key);
    case KEY_COMMAND:
        return "command";
    }
    return "";
}
