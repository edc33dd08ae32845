/* The groups of operations in openapi.json. */
#include <string.h>

#include "api/schema/schema.h"

const struct api_tag api_tags[] = {
    { "sessions", "Conversations: list, create, read, change, fork, delete." },
    { "entries", "The entries of a conversation: append, read along a path, delete." },
    { "messages", "Messages that are written step by step: open, extend, follow, seal." },
    { "tree", "Branches, the head, and differences between paths." },
    { "context", "What a model would get, and compactions." },
    { "notes", "Labels, memories, todo lists and provider calls." },
    { "queue", "Prompts that wait for a session." },
    { "search", "Full-text search." },
    { "events", "Changes, as a stream and in pages." },
    { "files", "Attachments, import and export." },
    { "ui", "The AI SDK's UIMessages." },
    { "store", "The store itself: cost, budgets, checks, statistics, groups, the audit." },
    { "runs", "Runs, approvals, grants and tools." },
    { "models", "Providers of models, and the models that can be asked for." },
    { "server", "Health, metrics, tokens, sign-in and this description." },
    { "hecate", "The wire of Hecate's chat sessions." },
    { "alkhub", "The wire of alkhub's sessions." },
    { 0 },
};

/* The first row whose text is in the path decides. */
static const struct {
    const char *part, *tag;
} rules[] = {
    { "/hecate/", "hecate" },
    { "/alkhub/", "alkhub" },
    { "/ui-", "ui" },
    { "/turns", "runs" },
    { "/runs", "runs" },
    { "/approvals", "runs" },
    { "/grants", "runs" },
    { "/tools", "runs" },
    { "/attachments", "files" },
    { "/import", "files" },
    { "/export", "files" },
    { "/formats", "files" },
    { "/sources", "files" },
    { "/queue", "queue" },
    { "/search", "search" },
    { "/events", "events" },
    { "/changes", "events" },
    { "/labels", "notes" },
    { "/memories", "notes" },
    { "/todos", "notes" },
    { "/calls", "notes" },
    { "/context", "context" },
    { "/markers", "context" },
    { "/branches", "tree" },
    { "/common", "tree" },
    { "/diff", "tree" },
    { "/hash", "tree" },
    { "/head", "tree" },
    { "/outline", "tree" },
    { "/pick", "tree" },
    { "/prompts", "tree" },
    { "/roots", "tree" },
    { "/tree", "tree" },
    { "/entries/{entry}/children", "tree" },
    { "/messages", "messages" },
    { "/entries", "entries" },
    { "/parts", "entries" },
    { "/latest-user", "entries" },
    { "/record", "entries" },
    { "/sessions", "sessions" },
    { "/continue", "sessions" },
    { "/facets", "sessions" },
    { "/providers", "models" },
    { "/models", "models" },
    { "/budgets", "store" },
    { "/cost", "store" },
    { "/store", "store" },
    { "/tokens", "server" },
    { "/audit", "store" },
    { "/places", "store" },
};

const char *api_tag_of(const struct http_route *r)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strstr(r->path, rules[i].part))
            return rules[i].tag;
    return "server";
}
