/* Canned tools for trying out runs without network and without risk. They say that they are. */
#include <string.h>
#include <time.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "tools/builtin/builtin.h"

enum { CITY_MOST = 100, PATH_MOST = 200, TEXT_MOST = 64 * 1024, SLOW_MOST_S = 120 };

/* ---- weather ---- */

static const struct builtin_field weather_fields[] = {
    { "city", FIELD_TEXT, "Name of a city", .most = CITY_MOST, .required = true },
    { 0 },
};

/* The same city always has the same weather. */
static void weather(struct builtin_call *c)
{
    static const char *const skies[] = { "sunny", "cloudy", "light rain", "fog", "windy" };
    const char *city = arg_cstr(c, "city", "");
    unsigned sum = 0;

    for (const char *p = city; *p; p++)
        sum = sum * 31 + (unsigned char)*p;
    builtin_say(c, "Weather in %s (invented by the demo tool): %s, %u degrees Celsius.", city,
                skies[sum % 5], 5 + sum % 25);
}

/* ---- slow ---- */

static const struct builtin_field slow_fields[] = {
    { "seconds", FIELD_INTEGER, "How long to take", .least = 0, .most = SLOW_MOST_S,
      .required = true },
    { 0 },
};

static void slow(struct builtin_call *c)
{
    static const struct timespec nap = { 0, 50 * 1000 * 1000 };
    int64_t seconds = arg_int(c, "seconds", 1), steps = seconds * 20;

    for (int64_t i = 0; i < steps; i++) {
        if (builtin_cancelled(c))
            return;
        if (i % 20 == 0)
            builtin_progress(c, str_of(arena_printf(c->a, "%lld of %lld seconds", (long long)i / 20,
                                                    (long long)seconds)));
        nanosleep(&nap, NULL);
    }
    builtin_say(c, "Done after %lld seconds of waiting (demo tool).", (long long)seconds);
}

/* ---- edit ---- */

static const struct builtin_field edit_fields[] = {
    { "path", FIELD_TEXT, "Name of the pretend file", .most = PATH_MOST, .required = true },
    { "content", FIELD_TEXT, "Its new content", .most = TEXT_MOST, .required = true },
    { 0 },
};

static void edit(struct builtin_call *c)
{
    static const char before[] = "# Pretend file\nNothing is written.\n";
    const char *path = arg_cstr(c, "path", "");
    struct json_writer w;
    struct buf out;

    buf_init(&out, 4 * DIFF_MOST);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "path", path);
    jw_kv_bool(&w, "pretend", true);
    jw_kv_str(&w, "diff", builtin_diff(c->a, str_of(before), arg_text(c, "content")));
    jw_end_obj(&w);
    c->out->details = buf_give(&out, c->a);
    builtin_say(c, "Changed the pretend file %s (demo tool: no file was written).", path);
}

static const struct builtin_tool tools[] = {
    { "weather", "Demo weather", "Invented weather of a city. A demo tool: it asks no service.",
      "fetch", weather_fields, true, weather },
    { "slow", "Demo wait", "Waits some seconds and reports progress. A demo tool.", "other",
      slow_fields, true, slow },
    { "edit", "Demo edit",
      "Pretends to replace the content of a file. A demo tool: no file is written.", "edit",
      edit_fields, false, edit },
    { 0 },
};

static const char *nothing_missing(const struct builtin_scene *in)
{
    (void)in;
    return NULL;
}

const struct builtin_server builtin_demo = { "demo", tools, nothing_missing };
