/* Options of an agent's session: config options, modes, models, commands. */
#include <string.h>

#include "acp/inside.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum { OPTIONS_MOST = 1 << 20 }; /* bytes of one of them; larger ones are not kept */

static void keep_text(char **at, struct bough_str text)
{
    if (text.n > OPTIONS_MOST)
        return;
    mem_free(*at);
    *at = mem_alloc(text.n + 1);
    memcpy(*at, text.p, text.n);
    (*at)[text.n] = '\0';
}

static void keep(char **at, struct json j, enum json_type type)
{
    if (j.doc && json_type(j) == type)
        keep_text(at, json_raw(j));
}

void acp_learn_result(struct acp *p, struct json result)
{
    keep(&p->has.config, json_member(result, "configOptions"), JSON_ARRAY);
    keep(&p->has.modes, json_member(result, "modes"), JSON_OBJECT);
    keep(&p->has.models, json_member(result, "models"), JSON_OBJECT);
}

void acp_learn_update(struct acp *p, const struct acp_update *u)
{
    if (u->kind == ACP_CONFIG)
        keep(&p->has.config, u->config, JSON_ARRAY);
    if (u->kind == ACP_COMMANDS)
        keep(&p->has.commands, u->commands, JSON_ARRAY);
    if (u->kind == ACP_MODE && u->mode)
        keep_text(&p->has.mode, str_of(u->mode));
}

void acp_forget_options(struct acp *p)
{
    mem_free(p->has.config);
    mem_free(p->has.modes);
    mem_free(p->has.models);
    mem_free(p->has.commands);
    mem_free(p->has.mode);
    p->has = (struct acp_has){ 0 };
}

/* The mode of the last update, else the one of the session's beginning. */
static const char *mode_now(struct acp *p, struct bough_arena *a)
{
    struct json root;

    if (p->has.mode)
        return p->has.mode;
    if (!p->has.modes || json_parse(a, str_of(p->has.modes), &root, NULL))
        return NULL;
    return json_cstr(a, root, "currentModeId");
}

struct bough_str acp_options(struct acp *p, struct bough_arena *a)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 8 * OPTIONS_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_opt_raw(&w, "config", str_of(p->has.config));
    jw_opt_raw(&w, "modes", str_of(p->has.modes));
    jw_opt_raw(&w, "models", str_of(p->has.models));
    jw_opt_raw(&w, "commands", str_of(p->has.commands));
    jw_opt_cstr(&w, "mode", mode_now(p, a));
    jw_end_obj(&w);
    return buf_give(&b, a);
}

const char *acp_model(struct acp *p, struct bough_arena *a)
{
    struct json root;
    const char *model = NULL;

    if (p->has.config && !json_parse(a, str_of(p->has.config), &root, NULL)) {
        struct json_iter it = json_iter(root);

        while (!model && json_next(&it))
            if (json_is(json_member(it.value, "category"), "model") ||
                json_is(json_member(it.value, "id"), "model"))
                model = json_cstr(a, it.value, "currentValue");
    }
    if (!model && p->has.models && !json_parse(a, str_of(p->has.models), &root, NULL))
        model = json_cstr(a, root, "currentModelId");
    return model ? model : "";
}
