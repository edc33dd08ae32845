/* Reports of usage as disjoint counts. Each provider counts in its own way: Anthropic's input
 * leaves cached tokens out, that of the others includes them. */
#include "base/json/json.h"
#include "base/limits.h"
#include "base/text/str.h"
#include "core/price/price.h"

/* A count: 0 if it is missing or no count. */
static int64_t count(struct json j, const char *name)
{
    int64_t n;

    return json_i64(json_member(j, name), &n) && n > 0 ? (n < LIMIT_TOKENS ? n : LIMIT_TOKENS) : 0;
}

static bool has(struct json j, const char *name)
{
    struct json member;

    return json_get(j, name, &member) && json_type(member) != JSON_NULL;
}

/* Take a part out of a whole. */
static int64_t without(struct usage *u, int64_t whole, int64_t part)
{
    u->clamped = u->clamped || part > whole;
    return whole > part ? whole - part : 0;
}

/* ---- by provider ---- */

static void read_chat(struct json j, struct usage *u)
{
    struct json in = json_member(j, "prompt_tokens_details"),
                out = json_member(j, "completion_tokens_details");

    u->cache_read = has(in, "cached_tokens")            ? count(in, "cached_tokens")
                    : has(j, "prompt_cache_hit_tokens") ? count(j, "prompt_cache_hit_tokens")
                                                        : count(j, "cached_tokens");
    u->write_5m = count(in, "cache_write_tokens");
    u->input = without(u, count(j, "prompt_tokens"), u->cache_read + u->write_5m);
    u->output = count(j, "completion_tokens");
    u->reasoning = count(out, "reasoning_tokens");
    u->audio_in = count(in, "audio_tokens");
    u->audio_out = count(out, "audio_tokens");
    u->image_out = count(out, "image_tokens");
}

/* Codex' files have the details beside the sums. */
static void read_responses(struct json j, struct usage *u)
{
    struct json in = json_member(j, "input_tokens_details"),
                out = json_member(j, "output_tokens_details");
    int64_t written = count(in, "cache_write_tokens");

    u->cache_read =
        has(in, "cached_tokens") ? count(in, "cached_tokens") : count(j, "cached_input_tokens");
    written = written ? written : count(j, "cache_write_input_tokens");
    u->write_1h = count(in, "ttl_12h_tokens");
    u->write_5m = without(u, written > u->write_1h ? written : u->write_1h, u->write_1h);
    u->input = without(u, count(j, "input_tokens"), u->cache_read + u->write_5m + u->write_1h);
    u->output = count(j, "output_tokens");
    u->reasoning = has(out, "reasoning_tokens") ? count(out, "reasoning_tokens")
                                                : count(j, "reasoning_output_tokens");
    u->audio_in = count(in, "audio_tokens");
    u->audio_out = count(out, "audio_tokens");
    u->image_out = count(out, "image_tokens");
}

static void read_messages(struct json j, struct usage *u)
{
    struct json made = json_member(j, "cache_creation");
    int64_t sum = count(j, "cache_creation_input_tokens");

    u->input = count(j, "input_tokens");
    u->cache_read = count(j, "cache_read_input_tokens");
    u->write_5m = count(made, "ephemeral_5m_input_tokens");
    u->write_1h = count(made, "ephemeral_1h_input_tokens");
    if (!u->write_5m && !u->write_1h)
        u->write_5m = sum;
    u->output = count(j, "output_tokens");
    u->reasoning = count(json_member(j, "output_tokens_details"), "thinking_tokens");
    u->searches = count(json_member(j, "server_tool_use"), "web_search_requests");
}

static void read_gemini(struct json j, struct usage *u)
{
    u->cache_read = count(j, "cachedContentTokenCount");
    u->input = without(u, count(j, "promptTokenCount") + count(j, "toolUsePromptTokenCount"),
                       u->cache_read);
    u->reasoning = count(j, "thoughtsTokenCount");
    u->output = count(j, "candidatesTokenCount") + u->reasoning;
}

/* ---- the report ---- */

/* Is it a word other than the usual ones? */
static bool unusual(struct bough_arena *a, struct json j, const char *name,
                    const char *const *usual)
{
    const char *word = json_cstr(a, j, name);

    return !cstr_empty(word) && !str_among(str_of(word), usual);
}

static int64_t reported_cost(struct json j)
{
    int64_t nano;
    double usd;

    if (!json_f64(json_member(j, "cost"), &usd) || usd < 0 ||
        bough_money_from_usd(usd, &nano, NULL) || nano > LIMIT_COST)
        return -1;
    return nano;
}

bool usage_read(struct bough_arena *a, struct bough_str json, struct usage *out)
{
    static const char *const tiers[] = { "standard", "default", "auto", NULL },
                             *const speeds[] = { "standard", NULL },
                             *const places[] = { "global", "not_available", NULL };
    struct json j;

    *out = (struct usage){ .cost = -1 };
    if (!json.n || json_parse(a, json, &j, NULL) || json_type(j) != JSON_OBJECT)
        return false;
    if (has(j, "promptTokenCount") || has(j, "candidatesTokenCount"))
        read_gemini(j, out);
    else if (has(j, "prompt_tokens") || has(j, "completion_tokens"))
        read_chat(j, out);
    else if (has(j, "cache_read_input_tokens") || has(j, "cache_creation_input_tokens") ||
             has(j, "cache_creation"))
        read_messages(j, out);
    else if (has(j, "input_tokens") || has(j, "output_tokens"))
        read_responses(j, out);
    else
        return false;
    out->cost = reported_cost(j);
    out->special = unusual(a, j, "service_tier", tiers) || unusual(a, j, "speed", speeds) ||
                   unusual(a, j, "inference_geo", places);
    return true;
}

struct usage usage_of_totals(const struct bough_totals *t)
{
    return (struct usage){ .input = t->input,
                           .cache_read = t->cache_read,
                           .write_5m = t->cache_write,
                           .output = t->output,
                           .reasoning = t->reasoning,
                           .cost = -1 };
}

struct bough_totals usage_totals(const struct usage *u)
{
    return (struct bough_totals){ .input = u->input,
                                  .output = u->output,
                                  .reasoning = u->reasoning,
                                  .cache_read = u->cache_read,
                                  .cache_write = u->write_5m + u->write_1h };
}
