/* Finds the files that entries touched. */
#include "cli/kit/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "cli/kit/render.h"

struct gather {
    struct bough_arena *a;
    struct smap seen;
    struct files *out;
};

static void add(struct gather *g, const char *path)
{
    if (cstr_empty(path) || smap_get(&g->seen, str_of(path), NULL))
        return;
    smap_put(&g->seen, str_of(path), 1);
    g->out->at = arena_room(g->a, g->out->at, g->out->n, sizeof *g->out->at);
    g->out->at[g->out->n++] = path;
}

static void add_input(struct gather *g, struct bough_str input)
{
    static const char *const keys[] = { "path",     "file_path", "filePath",
                                        "filename", "file",      "notebook_path" };
    struct json j = { 0 };
    struct bough_str text;

    if (!input.n || json_parse(g->a, input, &j, NULL))
        return;
    if (json_str(g->a, j, &text) && json_parse(g->a, text, &j, NULL)) /* JSON inside a string */
        return;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add(g, json_cstr(g->a, j, keys[i]));
}

static void add_part(struct gather *g, const struct bough_part *part)
{
    struct json j = { 0 };
    struct json_iter it;
    struct tool_view v;
    struct bough_str name;

    if (part->type == BOUGH_PART_TOOL) {
        render_tool_view(g->a, part, &v);
        add_input(g, v.input);
    }
    if (part->type == BOUGH_PART_PATCH && !json_parse(g->a, part->json, &j, NULL)) {
        for (it = json_iter(json_member(j, "files")); json_next(&it);)
            if (json_str(g->a, it.value, &name))
                add(g, name.p);
    }
    if (part->type == BOUGH_PART_FILE && !json_parse(g->a, part->json, &j, NULL))
        add(g, json_cstr(g->a, j, "filename"));
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

void files_of(struct bough_arena *a, const struct bough_entry *entries, size_t n, struct files *out)
{
    struct gather g = { .a = a, .out = out };

    *out = (struct files){ 0 };
    smap_init(&g.seen);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < entries[i].nparts; k++)
            add_part(&g, &entries[i].parts[k]);
    smap_finish(&g.seen);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_name);
}
