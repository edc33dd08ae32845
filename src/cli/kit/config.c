/* The configuration file. inih parses it; writing changes one line and keeps all others. */
#include "cli/kit/config.h"

#include <ctype.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "core/model/text.h"

enum { FILE_MOST = 1 << 20, LINE_MOST = 198, NAME_MOST = 49 };

const struct config_key config_keys[] = {
    { "color", NULL, "when to use colours: auto, always or never; NO_COLOR overrides it" },
    { "gateway.default", NULL, "provider for models that no provider lists" },
    { "gateway.discover", NULL, "yes to look for Ollama, LM Studio, llama.cpp and vLLM here" },
    { "http.hosts", NULL, "more host names `bough serve` accepts, separated by blanks" },
    { "http.origins", NULL, "web origins that may call it, as https://name, separated by blanks" },
    { "http.tls", NULL, "true if a proxy in front of it serves HTTPS" },
    { "limit", NULL, "number of sessions `bough ls` lists" },
    { "pager", "BOUGH_PAGER", "pager for long output; cat for none" },
    { "store", "BOUGH_STORE", "URL of the store to use" },
    { 0 },
};

const struct config_key *config_key(const char *name)
{
    for (const struct config_key *k = config_keys; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

const char *config_path(struct bough_arena *a)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (base && base[0] == '/')
        return arena_printf(a, "%s/bough/config.ini", base);
    return cstr_empty(home) ? NULL : arena_printf(a, "%s/.config/bough/config.ini", home);
}

/* ---- reading ---- */

static bool next_line(struct bough_str *rest, struct bough_str *line)
{
    const char *end;

    if (!rest->n)
        return false;
    end = memchr(rest->p, '\n', rest->n);
    line->p = rest->p;
    line->n = end ? (size_t)(end - rest->p) + 1 : rest->n;
    rest->p += line->n;
    rest->n -= line->n;
    return true;
}

/* Is the line "[section]"? Sets its name. */
static bool is_section(struct bough_str line, struct bough_str *name)
{
    struct bough_str s = text_trim(line);
    const char *end = s.n && s.p[0] == '[' ? memchr(s.p, ']', s.n) : NULL;

    if (!end)
        return false;
    *name = str_make(s.p + 1, (size_t)(end - s.p) - 1);
    return true;
}

static enum bough_rc read_file(struct bough_arena *a, const char *path, struct bough_str *text,
                               struct bough_error *err)
{
    enum bough_rc rc = path ? fs_read(a, path, FILE_MOST, text, err) : BOUGH_NOT_FOUND;

    if (rc == BOUGH_NOT_FOUND)
        *text = str_of("");
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}

/* inih cuts longer lines and names without a word. */
static enum bough_rc check_lengths(const char *path, struct bough_str rest, struct bough_error *err)
{
    struct bough_str line, section;

    for (int n = 1; next_line(&rest, &line); n++) {
        if (line.n > LINE_MOST)
            return bough_fail(err, BOUGH_INVALID,
                              "%s: line %d has more than %d bytes: go on in the next line, which "
                              "begins with a blank",
                              path, n, LINE_MOST);
        if (is_section(line, &section) && section.n > NAME_MOST)
            return bough_fail(err, BOUGH_INVALID,
                              "%s: line %d: the name of a section has %d bytes at most", path, n,
                              NAME_MOST);
    }
    return BOUGH_OK;
}

struct gathering {
    struct bough_arena *a;
    struct config_pairs *to;
};

static int on_pair(void *user, const char *section, const char *name, const char *value)
{
    struct gathering *g = user;
    struct config_pairs *to = g->to;

    to->at = arena_room(g->a, to->at, to->n, sizeof *to->at);
    to->at[to->n++] =
        (struct gateway_setting){ arena_strdup(g->a, section), arena_strdup(g->a, name),
                                  arena_strdup(g->a, value) };
    return 1;
}

enum bough_rc config_each(struct bough_arena *a, struct config_pairs *out, struct bough_error *err)
{
    struct gathering g = { a, out };
    const char *path = config_path(a);
    struct bough_str text;
    enum bough_rc rc = read_file(a, path, &text, err);
    int line;

    *out = (struct config_pairs){ NULL, 0 };
    if (!rc)
        rc = check_lengths(path, text, err);
    if (rc)
        return rc;
    line = ini_parse_string(text.p, on_pair, &g);
    if (line != 0)
        return bough_fail(err, BOUGH_INVALID, "%s: line %d: expected \"name = value\"", path, line);
    return BOUGH_OK;
}

/* The last one counts. */
static const char *find_pair(const struct config_pairs *all, const char *name)
{
    const char *dot = strrchr(name, '.'), *value = NULL;
    struct bough_str section = str_make(name, dot ? (size_t)(dot - name) : 0);

    for (size_t i = 0; i < all->n; i++)
        if (str_is(section, all->at[i].section) &&
            strcmp(all->at[i].name, dot ? dot + 1 : name) == 0)
            value = all->at[i].value;
    return value;
}

enum bough_rc config_get(struct bough_arena *a, const char *name, const char **value,
                         const char **from, struct bough_error *err)
{
    const struct config_key *key = config_key(name);
    struct config_pairs all;
    enum bough_rc rc;

    *value = key && key->env ? getenv(key->env) : NULL;
    if (from)
        *from = "environment";
    if (!cstr_empty(*value))
        return BOUGH_OK;
    *value = NULL;
    rc = config_each(a, &all, err);
    if (rc)
        return rc;
    *value = find_pair(&all, name);
    if (from)
        *from = "file";
    return BOUGH_OK;
}

/* ---- writing ---- */

static bool is_pair(struct bough_str line, struct bough_str name)
{
    struct bough_str s = text_trim(line), left;
    size_t n = 0;

    while (n < s.n && s.p[n] != '=' && s.p[n] != ':')
        n++;
    left = text_trim(str_make(s.p, n));
    return n < s.n && str_eq(left, name);
}

struct edit {
    struct buf out;
    struct bough_str section, name;
    const char *value;
    bool done;
};

static void put_pair(struct edit *e)
{
    if (e->done || !e->value)
        return;
    if (e->out.n && e->out.p[e->out.n - 1] != '\n')
        buf_putc(&e->out, '\n');
    buf_printf(&e->out, "%.*s = %s\n", (int)e->name.n, e->name.p, e->value);
    e->done = true;
}

static void change(struct edit *e, struct bough_str rest)
{
    struct bough_str line, at = str_of("");

    while (next_line(&rest, &line)) {
        struct bough_str section;
        bool here = str_eq(at, e->section);

        if (is_section(line, &section)) {
            if (here)
                put_pair(e); /* not found: add it at the end of the section */
            at = section;
            buf_put_str(&e->out, line);
        } else if (here && is_pair(line, e->name)) {
            put_pair(e); /* in its old place; repeated lines are dropped */
        } else {
            buf_put_str(&e->out, line);
        }
    }
    if (!e->done && e->value && !str_eq(at, e->section))
        buf_printf(&e->out, "\n[%.*s]\n", (int)e->section.n, e->section.p);
    put_pair(e);
}

enum bough_rc config_set(struct bough_arena *a, const char *name, const char *value,
                         struct bough_error *err)
{
    const char *path = config_path(a), *dot = strrchr(name, '.');
    struct edit e = { .value = value, .section = str_of("") };
    struct bough_str text;
    enum bough_rc rc;

    if (!path)
        return bough_fail(err, BOUGH_INVALID,
                          "cannot locate the configuration file: HOME is not set");
    if (value && (strpbrk(value, "\r\n") || (*value && (isspace((unsigned char)*value)))))
        return bough_fail(err, BOUGH_INVALID,
                          "a value must be one line and must not begin with a blank");
    rc = read_file(a, path, &text, err);
    if (!rc)
        rc = fs_mkdirs(arena_strndup(a, path, (size_t)(strrchr(path, '/') - path)), 0700, err);
    if (rc)
        return rc;
    e.name = str_of(dot ? dot + 1 : name);
    if (dot)
        e.section = str_make(name, (size_t)(dot - name));
    buf_init(&e.out, 2 * FILE_MOST);
    change(&e, text);
    rc = fs_write(path, buf_str(&e.out), 0600, err);
    buf_finish(&e.out);
    return rc;
}
