/* Finds what a member or a {name} in a path means. */
#include <string.h>

#include "api/schema/schema.h"
#include "base/text/str.h"

static const char *const group_words[] = { "projects", "workspaces", "accounts", NULL };

static const struct api_path_name path_names[] = {
    { "agent", "The name of an external agent." },
    { "approval", "The id of an approval." },
    { "budget", "The id of a budget." },
    { "call", "The id of a provider call." },
    { "entry",
      "An entry on a path of the session: its id, `#branch.depth` (sent as %23), the id it "
      "was given or imported with, or `@3` for the third message." },
    { "grant", "The id of a grant." },
    { "id",
      "A session: its id, the id it was given, its slug, `#number` (sent as %23), or the first "
      "8 or more characters of its id. Routes that delete take a full id only." },
    { "kind", "The kind of the group.", group_words },
    { "memory", "The id of a memory." },
    { "message", "The id of a message." },
    { "model", "The name of a model." },
    { "number", "The number of the attachment in the entry, from 0." },
    { "part", "The id of a part: `<entry id>.<4 hex digits>`." },
    { "prompt", "The id of a queued prompt." },
    { "provider", "The name of a provider." },
    { "run", "The id of a run." },
    { "server", "The name of a tool server." },
    { "token", "The id of a token or of a signed-in browser." },
};

const struct api_path_name *api_about_path(struct bough_str name)
{
    for (size_t i = 0; i < sizeof path_names / sizeof *path_names; i++)
        if (str_is(name, path_names[i].name))
            return &path_names[i];
    return NULL;
}

static bool is_of(const char *row, const char *schema, struct bough_str member)
{
    size_t n = strlen(schema);

    return strncmp(row, schema, n) == 0 && row[n] == '.' && str_is(member, row + n + 1);
}

static const struct api_about *find(const struct api_about *table, struct bough_str member)
{
    for (; table->name; table++)
        if (str_is(member, table->name))
            return table;
    return NULL;
}

static bool is_original(const char *schema)
{
    for (const struct api_schema *s = api_original_schemas; s->name; s++)
        if (strcmp(s->name, schema) == 0)
            return true;
    return false;
}

const struct api_about *api_about(const char *schema, struct bough_str member)
{
    const struct api_about *found = NULL;

    for (const struct api_about *a = api_members; a->name; a++)
        if (is_of(a->name, schema, member))
            return a;
    for (const struct api_about *a = api_run_members; a->name; a++)
        if (is_of(a->name, schema, member))
            return a;
    if (is_original(schema))
        found = find(api_original_names, member);
    return found ? found : find(api_names, member);
}
