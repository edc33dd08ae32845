/* Wires: their names and paths. */
#include "core/wire/wire.h"

#include "base/text/str.h"

static const struct {
    const char *name, *path;
} wires[] = {
    [WIRE_CHAT] = { "chat", "/v1/chat/completions" },
    [WIRE_RESPONSES] = { "responses", "/v1/responses" },
    [WIRE_MESSAGES] = { "messages", "/v1/messages" },
    [WIRE_GEMINI] = { "gemini", NULL },
};

const char *wire_name(enum wire wire)
{
    return wires[wire].name;
}

const char *wire_path(enum wire wire)
{
    return wires[wire].path;
}

bool wire_of_path(struct bough_str path, enum wire *out)
{
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++) {
        if (!wires[i].path || !str_is(path, wires[i].path))
            continue;
        *out = (enum wire)i;
        return true;
    }
    return false;
}
