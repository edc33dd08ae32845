/* The settings of agents: where they are, and where in them an MCP server is named. */
#include "cli/sources/mcp_setup.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

enum { FILE_MAX = 64 * 1024 * 1024 };

static const struct agent {
    const char *name;
    const char *home;   /* variable that names the folder in place of `folder`; or NULL */
    const char *folder; /* in the home directory */
    const char *file;
    const char *servers; /* the object of servers; NULL: a section of TOML */
    const char *more;    /* members that an entry has besides; raw JSON, or "" */
    bool one_list;       /* command and arguments are one list */
} agents[] = {
    { "claude", "CLAUDE_CONFIG_DIR", "", ".claude.json", "mcpServers", "\"type\":\"stdio\",",
      false },
    { "codex", "CODEX_HOME", ".codex", "config.toml", NULL, "", false },
    { "cursor", NULL, ".cursor", "mcp.json", "mcpServers", "", false },
    { "gemini", NULL, ".gemini", "settings.json", "mcpServers", "", false },
    { "opencode", NULL, ".config/opencode", "opencode.json", "mcp", "\"type\":\"local\",", true },
};

static const char section[] = "[mcp_servers.bough]";

static const struct agent *find(const char *name)
{
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        if (strcmp(agents[i].name, name) == 0)
            return &agents[i];
    return NULL;
}

/* The file itself, if its name is a link: the link stays. NULL: there is no home directory. */
static const char *path_of(struct bough_arena *a, const struct agent *g)
{
    const char *folder = g->home ? getenv(g->home) : NULL, *home = getenv("HOME"), *path;
    char real[PATH_MAX];

    if (cstr_empty(folder) && cstr_empty(home))
        return NULL;
    if (cstr_empty(folder))
        folder = *g->folder ? fs_join(a, home, g->folder) : home;
    path = fs_join(a, folder, g->file);
    return realpath(path, real) ? arena_strdup(a, real) : path;
}

/* ---- the entry ---- */

/* "mcp","--write": strings that JSON and TOML write alike. */
static void put_args(struct json_writer *w, const char *first, const char *const *args)
{
    jw_arr(w);
    if (first)
        jw_cstr(w, first);
    for (; *args; args++)
        jw_cstr(w, *args);
    jw_end_arr(w);
}

static const char *entry_of(struct bough_arena *a, const struct agent *g, const char *const *args)
{
    struct json_writer w;
    struct buf list;
    const char *text;

    buf_init(&list, 64 * 1024);
    jw_init(&w, &list);
    put_args(&w, g->one_list ? "bough" : NULL, args);
    text = buf_give(&list, a).p;
    if (!g->servers)
        return arena_printf(a, "%s\ncommand = \"bough\"\nargs = %s\n", section, text);
    if (g->one_list)
        return arena_printf(a, "{%s\"command\":%s}", g->more, text);
    return arena_printf(a, "{%s\"command\":\"bough\",\"args\":%s}", g->more, text);
}

/* ---- the file ---- */

/* The file with `text` in place of the bytes from `from` to `to`. */
static void replace(struct bough_arena *a, struct bough_str file, const char *from, const char *to,
                    const char *text, struct mcp_setup *out)
{
    struct buf all;

    buf_init(&all, (size_t)FILE_MAX + 64 * 1024);
    buf_put(&all, file.p, (size_t)(from - file.p));
    buf_puts(&all, text);
    buf_put(&all, to, (size_t)(file.p + file.n - to));
    out->after = buf_give(&all, a);
}

/* Add a member at the beginning of an object. */
static void insert(struct bough_arena *a, struct bough_str file, struct json object,
                   const char *member, struct mcp_setup *out)
{
    const char *at = json_raw(object).p + 1;

    replace(a, file, at, at, arena_printf(a, "\n  %s%s", member, json_count(object) ? "," : "\n"),
            out);
}

static enum bough_rc plan_json(struct bough_arena *a, const struct agent *g, struct bough_str file,
                               struct mcp_setup *out, struct bough_error *err)
{
    struct json root, servers, old;
    struct bough_str raw, twice;

    if (json_parse(a, file, &root, NULL) || json_type(root) != JSON_OBJECT ||
        json_repeated(a, root, &twice))
        return bough_fail(err, BOUGH_INVALID,
                          "%s is not plain JSON, add this to its %s by hand: %s", out->path,
                          g->servers, out->entry);
    if (!json_get(root, g->servers, &servers)) {
        insert(a, file, root, arena_printf(a, "\"%s\": {\"bough\": %s}", g->servers, out->entry),
               out);
        return BOUGH_OK;
    }
    if (json_type(servers) != JSON_OBJECT || json_repeated(a, servers, &twice))
        return bough_fail(err, BOUGH_INVALID, "%s of %s is not an object", g->servers, out->path);
    if (!json_get(servers, "bough", &old)) {
        insert(a, file, servers, arena_printf(a, "  \"bough\": %s", out->entry), out);
        return BOUGH_OK;
    }
    raw = json_raw(old);
    out->same = str_is(raw, out->entry);
    replace(a, file, raw.p, raw.p + raw.n, out->entry, out);
    return BOUGH_OK;
}

/* TOML is not parsed: a section is added at the end, and one that is there is left alone. */
static enum bough_rc plan_toml(struct bough_arena *a, struct bough_str file, struct mcp_setup *out,
                               struct bough_error *err)
{
    const char *end = file.p + file.n;
    bool whole = !file.n || end[-1] == '\n';

    out->same = strstr(file.p, out->entry) != NULL;
    if (out->same)
        return BOUGH_OK;
    if (strstr(file.p, "mcp_servers.bough") || strstr(file.p, "mcp_servers]"))
        return bough_fail(err, BOUGH_INVALID,
                          "%s names MCP servers in a way that is not changed "
                          "here: see to %s by hand",
                          out->path, section);
    replace(a, file, end, end,
            arena_printf(a, "%s%s%s", whole ? "" : "\n", file.n ? "\n" : "", out->entry), out);
    return BOUGH_OK;
}

enum bough_rc mcp_setup_plan(struct bough_arena *a, const char *agent, const char *const *args,
                             struct mcp_setup *out, struct bough_error *err)
{
    const struct agent *g = find(agent);
    struct bough_str file = { "", 0 };
    enum bough_rc rc;

    *out = (struct mcp_setup){ 0 };
    if (!g)
        return bough_fail(err, BOUGH_INVALID,
                          "unknown agent %.40s: there are claude, codex, cursor, gemini, opencode",
                          agent);
    out->path = path_of(a, g);
    if (!out->path)
        return bough_fail(err, BOUGH_INVALID, "HOME is not set");
    out->entry = entry_of(a, g, args);
    rc = fs_read(a, out->path, FILE_MAX, &file, err);
    if (rc && rc != BOUGH_NOT_FOUND)
        return rc;
    out->exists = !rc;
    if (memchr(file.p, '\0', file.n))
        return bough_fail(err, BOUGH_INVALID, "%s is not text", out->path);
    if (!g->servers)
        return plan_toml(a, file, out, err);
    if (!file.n)
        file = str_of("{}\n");
    return plan_json(a, g, file, out, err);
}

enum bough_rc mcp_setup_write(const struct mcp_setup *setup, struct bough_error *err)
{
    char folder[PATH_MAX];
    struct stat st;
    size_t n = (size_t)(strrchr(setup->path, '/') - setup->path);
    enum bough_rc rc;

    if (!stat(setup->path, &st))
        return fs_write(setup->path, setup->after, st.st_mode & 0777, err);
    if (n >= sizeof folder)
        return bough_fail(err, BOUGH_INVALID, "the path is too long");
    memcpy(folder, setup->path, n);
    folder[n] = '\0';
    rc = fs_mkdirs(folder, 0700, err);
    return rc ? rc : fs_write_new(setup->path, setup->after, 0600, err);
}
