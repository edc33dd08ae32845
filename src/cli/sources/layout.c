/* Folders and commands of pi, Claude Code, Codex and opencode. */
#include "cli/sources/layout.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "cli/kit/cli.h"

const struct layout layouts[] = {
    { "claude", "claude-code" },
    { "codex", "codex" },
    { "opencode", "opencode" },
    { "pi", "pi" },
    { 0 },
};

const struct layout *layout_of(const char *format)
{
    for (const struct layout *l = layouts; l->word; l++)
        if (strcmp(l->format, format) == 0)
            return l;
    return NULL;
}

static bool is(const struct layout *l, const char *word)
{
    return strcmp(l->word, word) == 0;
}

/* ---- the id in a file ---- */

/* The string at `outer`.`inner` of an object, or at `inner` if outer is NULL; NULL: there is none.
 */
static const char *string_at(struct bough_arena *a, struct bough_str json, const char *outer,
                             const char *inner)
{
    bool inside = !outer, wanted = false;
    struct json_event ev;
    struct json_pull p;

    json_pull_init(&p, json);
    if (json_pull_next(&p, &ev, NULL) != BOUGH_OK || ev.type != JSON_BEGIN)
        return NULL;
    while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type != JSON_DONE) {
        if (ev.type == JSON_KEY) {
            wanted = json_span_is(ev.raw, inside ? inner : outer);
        } else if (ev.type == JSON_BEGIN) {
            if (wanted && !inside)
                inside = true;
            else if (json_pull_skip(&p, &ev, NULL, NULL) != BOUGH_OK)
                return NULL;
        } else if (ev.type == JSON_END) {
            return NULL;
        } else if (wanted && inside && ev.value == JSON_STRING) {
            return json_span_str(a, ev.raw).p;
        }
    }
    return NULL;
}

/* The first line that has an id: Claude Code begins some files with lines without one. */
static const char *id_in(struct bough_arena *a, const struct layout *l, struct bough_str text)
{
    const char *id = NULL;

    if (is(l, "opencode"))
        return string_at(a, text, "info", "id");
    while (!id && text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        struct bough_str line = str_make(text.p, end ? (size_t)(end - text.p) : text.n);
        size_t n = line.n + (end != NULL);

        id = is(l, "codex")    ? string_at(a, line, "payload", "id")
             : is(l, "claude") ? string_at(a, line, NULL, "sessionId")
                               : string_at(a, line, NULL, "id");
        text = str_make(text.p + n, text.n - n);
        if (!is(l, "claude"))
            break;
    }
    return id;
}

bool layout_id_is_word(const char *id)
{
    size_t n = strlen(id);

    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)id[i]) && !(i && strchr("-_.", id[i])))
            return false;
    return n > 0 && n <= 150;
}

const char *layout_id(struct bough_arena *a, const struct layout *l, const char *file)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    const char *id = NULL;
    struct stat st;
    void *p;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            id = id_in(a, l, str_make(p, (size_t)st.st_size));
            munmap(p, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return cstr_empty(id) ? NULL : id;
}

/* ---- folders ---- */

const char *layout_name(struct bough_arena *a, const char *text)
{
    enum { MOST = 150 };
    char *out = arena_strndup(a, text, utf8_cut(text, strlen(text), MOST));

    for (char *p = out; *p; p++)
        if (strchr("/\\:", *p) || (unsigned char)*p < ' ' || *p == 0x7f)
            *p = '-';
    return out;
}

/* A time for a file's name: 2026-11-16T10-00-00-000Z. */
static char *time_name(struct bough_arena *a, int64_t ms)
{
    char *when = arena_alloc(a, ISO_TEXT);

    iso_print(ms, when);
    for (char *p = when; *p; p++)
        *p = strchr(":.", *p) ? '-' : *p;
    return when;
}

static const char *below_project(struct bough_arena *a, const char *root, const char *project,
                                 int64_t created, const char *id, const char *suffix)
{
    return arena_printf(a, "%s/--%s--/%s_%s.%s", root,
                        layout_name(a, *project == '/' ? project + 1 : project),
                        time_name(a, created), layout_name(a, id), suffix);
}

const char *layout_usual(struct bough_arena *a, const char *root, const struct bough_session *s,
                         const char *suffix)
{
    return below_project(a, root, s->project, s->created, *s->origin ? s->origin : s->id, suffix);
}

const char *layout_path(struct bough_arena *a, const struct layout *l, const char *root,
                        const struct bough_session *s, const char *project, const char *id)
{
    char *folder, *when;

    id = layout_name(a, id);
    if (is(l, "opencode"))
        return arena_printf(a, "%s/%s.json", root, id);
    if (is(l, "pi"))
        return below_project(a, root, project, s->created, id, "jsonl");
    if (is(l, "codex")) {
        when = time_name(a, s->created ? s->created : 1);
        return arena_printf(a, "%s/%.4s/%.2s/%.2s/rollout-%.19s-%s.jsonl", root, when, when + 5,
                            when + 8, when, id);
    }
    folder = arena_strdup(a, project);
    for (char *p = folder; *p; p++)
        *p = isalnum((unsigned char)*p) ? *p : '-';
    return arena_printf(a, "%s/%s/%s.jsonl", root, folder, id);
}

/* The folder that a variable of the tool names, or its usual one in HOME, and what is below it. */
static const char *home_of(struct bough_arena *a, const char *variable, const char *usual,
                           const char *below)
{
    const char *set = getenv(variable), *home = getenv("HOME");

    if (set && *set == '/')
        return fs_join(a, set, below);
    return cstr_empty(home) ? NULL : fs_join(a, fs_join(a, home, usual), below);
}

const char *layout_root(struct bough_arena *a, const struct layout *l)
{
    if (is(l, "claude"))
        return home_of(a, "CLAUDE_CONFIG_DIR", ".claude", "projects");
    if (is(l, "codex"))
        return home_of(a, "CODEX_HOME", ".codex", "sessions");
    if (is(l, "pi"))
        return home_of(a, "PI_CODING_AGENT_DIR", ".pi/agent", "sessions");
    return home_of(a, "XDG_CACHE_HOME", ".cache", "bough/opencode");
}

const char *layout_command(struct bough_arena *a, const struct layout *l, const char *project,
                           const char *path, const char *id)
{
    const char *cd = arena_printf(a, "cd %s && ", cli_shell_word(a, project));

    if (is(l, "claude"))
        return arena_printf(a, "%sclaude --resume %s", cd, id);
    if (is(l, "codex"))
        return arena_printf(a, "%scodex resume %s", cd, id);
    if (is(l, "pi"))
        return arena_printf(a, "%spi --session %s", cd, cli_shell_word(a, path));
    return arena_printf(a, "%sopencode import %s && opencode --session %s", cd,
                        cli_shell_word(a, path), id);
}
