/* Names of tools as models see them. Pure. */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/memory/arena.h"
#include "tools/inside.h"

enum { HASH_DIGITS = 8 };

static bool plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

const char *tool_name(struct bough_arena *a, const char *text)
{
    size_t n = strlen(text), kept = n < TOOL_NAME_MOST ? n : TOOL_NAME_MOST;
    unsigned char hash[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];
    char *name = arena_strndup(a, text, kept);
    bool same = n == kept;

    for (size_t i = 0; i < kept; i++)
        if (!plain(name[i])) {
            name[i] = '_';
            same = false;
        }
    if (same)
        return name;
    sha256(text, n, hash);
    sha256_hex(hash, hex);
    if (kept > TOOL_NAME_MOST - HASH_DIGITS - 1)
        kept = TOOL_NAME_MOST - HASH_DIGITS - 1;
    return arena_printf(a, "%.*s_%.*s", (int)kept, name, HASH_DIGITS, hex);
}
