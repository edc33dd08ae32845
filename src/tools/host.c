/* The tool host: what the configuration says of tool servers, and how they are. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "tools/inside.h"

enum bough_rc tool_host_create(struct tool_host **out, const struct tool_host_config *config,
                               struct bough_error *err)
{
    struct tool_host *h = mem_zalloc(sizeof *h);

    (void)err;
    h->a = bough_arena_create();
    h->store = config->store;
    h->children = config->children;
    *out = h;
    return BOUGH_OK;
}

void tool_host_destroy(struct tool_host *h)
{
    if (!h)
        return;
    bough_arena_destroy(h->a);
    mem_free(h);
}

static size_t count_tools(const struct builtin_server *b)
{
    size_t n = 0;

    while (b->tools[n].name)
        n++;
    return n;
}

static struct tool_server about_builtin(const struct builtin_server *b)
{
    return (struct tool_server){ .name = b->name,
                                 .kind = "built-in",
                                 .status = "ready",
                                 .protocol = "",
                                 .version = "",
                                 .error = "",
                                 .hint = "",
                                 .err_tail = "",
                                 .trusted = true,
                                 .tools = count_tools(b) };
}

struct tool_servers tool_host_servers(struct tool_host *h, struct bough_arena *a)
{
    struct tool_servers out = { 0 };

    (void)h;
    for (const struct builtin_server *const *b = builtin_servers; *b; b++) {
        out.at = arena_room(a, out.at, out.n, sizeof *out.at);
        out.at[out.n++] = about_builtin(*b);
    }
    return out;
}

enum bough_rc tool_host_probe(struct tool_host *h, struct bough_arena *a, const char *name,
                              struct tool_server *out, struct bough_error *err)
{
    struct tool_servers all = tool_host_servers(h, a);

    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.at[i].name, name) == 0) {
            *out = all.at[i];
            return BOUGH_OK;
        }
    return bough_fail(err, BOUGH_NOT_FOUND, "there is no tool server \"%.60s\"", name);
}
