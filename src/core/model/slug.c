/* Slugs from titles and random words. Pure: randomness is passed in as env. */
#include "core/model/slug.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"

enum { SUFFIX = 5 };

/* 64 of each, a power of two, so that random bits choose evenly. */
static const char adjectives[64][10] = {
    "amber", "ample",  "apt",     "autumn",  "bold",   "brave",  "brief", "bright",
    "brisk", "calm",   "careful", "clear",   "clever", "cosy",   "crisp", "curious",
    "deep",  "early",  "eager",   "easy",    "fair",   "fine",   "firm",  "fleet",
    "fond",  "frank",  "fresh",   "gentle",  "glad",   "golden", "grand", "green",
    "happy", "hardy",  "honest",  "humble",  "keen",   "kind",   "late",  "level",
    "light", "lively", "lucid",   "lucky",   "mellow", "merry",  "mild",  "modest",
    "neat",  "nimble", "noble",   "patient", "plain",  "proud",  "quick", "quiet",
    "ready", "sharp",  "silver",  "steady",  "sunny",  "swift",  "warm",  "wise",
};

static const char nouns[64][10] = {
    "acorn",   "anchor", "arbor",   "badger", "basin",   "bay",    "beacon", "birch",
    "bloom",   "bridge", "brook",   "canyon", "cedar",   "cliff",  "clover", "comet",
    "coral",   "cove",   "crane",   "creek",  "dawn",    "delta",  "dune",   "ember",
    "falcon",  "fern",   "field",   "finch",  "fjord",   "forest", "garden", "glade",
    "grove",   "harbor", "hazel",   "heron",  "hill",    "island", "ivy",    "lagoon",
    "lake",    "lark",   "linden",  "maple",  "marsh",   "meadow", "moss",   "oak",
    "orchard", "otter",  "pine",    "pond",   "poplar",  "rain",   "ridge",  "river",
    "robin",   "rowan",  "sparrow", "spruce", "thicket", "valley", "willow", "wren",
};

/* Fold case and remove accents: "Über" becomes "uber". NULL on failure; the caller frees. */
static utf8proc_uint8_t *unaccent(struct bough_str s, size_t *n)
{
    const utf8proc_option_t how =
        (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE |
                            UTF8PROC_STRIPMARK | UTF8PROC_CASEFOLD);
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t len =
        utf8proc_map((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &out, how);

    *n = len < 0 ? 0 : (size_t)len;
    return out;
}

static bool is_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

const char *slug_from_title(struct bough_arena *a, const char *title)
{
    struct bough_str s = text_clean(a, str_of(title));
    utf8proc_uint8_t *flat;
    char slug[SLUG_MAX + 1];
    size_t n, i, len = 0;

    if (!s.n)
        return "";
    flat = unaccent(s, &n);
    for (i = 0; i < n; i++) {
        bool gap = len && i && !is_word(flat[i - 1]);

        if (!is_word(flat[i]))
            continue;
        if (len + 1 + gap > SLUG_MAX)
            break;
        if (gap)
            slug[len++] = '-';
        slug[len++] = (char)flat[i];
    }
    free(flat);
    return arena_strndup(a, slug, len);
}

const char *slug_random_words(struct bough_arena *a, const struct env *env)
{
    uint64_t r = env_u64(env);

    return arena_printf(a, "%s-%s", adjectives[r & 63], nouns[(r >> 6) & 63]);
}

const char *slug_with_suffix(struct bough_arena *a, const char *slug, const struct env *env,
                             uint64_t attempt)
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz"; /* Crockford's 32 */
    uint64_t r = env_u64(env) + attempt * UINT64_C(0x9e3779b97f4a7c15);
    struct bough_str s = str_of(slug);
    char tail[SUFFIX + 1];
    int i;

    for (i = 0; i < SUFFIX; i++, r >>= 5)
        tail[i] = digits[r & 31];
    tail[SUFFIX] = '\0';
    if (s.n > SLUG_MAX - SUFFIX - 1)
        s.n = SLUG_MAX - SUFFIX - 1;
    while (s.n && s.p[s.n - 1] == '-')
        s.n--;
    return arena_printf(a, "%.*s%s%s", (int)s.n, s.p, s.n ? "-" : "", tail);
}

bool slug_valid(const char *slug)
{
    size_t n = strlen(slug);

    return n > 0 && n <= SLUG_MAX && strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}
