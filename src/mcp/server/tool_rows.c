/* The tools: one row each, with its arguments and the route that answers it. */
#include "auth/auth.h"
#include "base/limits.h"
#include "core/context/context.h"
#include "mcp/server/inside.h"

#define SESSION                                                                                    \
    {                                                                                              \
        "session", MCP_TEXT, MCP_PATH,                                                             \
            .about = "The session: its id, slug or number, as list_chat_sessions and "             \
                     "search_sessions give it.",                                                   \
            .least = 1, .most = LIMIT_ID, .required = true, .session = true                        \
    }

#define CURSOR(name_there)                                                                         \
    {                                                                                              \
        "cursor", MCP_TEXT, MCP_QUERY, name_there,                                                 \
            .about = "next_cursor of the previous result, to go on behind it.", .most = 512        \
    }

#define LIMIT(what, default_text, largest)                                                         \
    {                                                                                              \
        "limit", MCP_INTEGER, MCP_QUERY, .about = what, .least = 1, .most = (largest),             \
                                         .fallback = default_text                                  \
    }

#define PROJECT(what)                                                                              \
    {                                                                                              \
        "project", MCP_TEXT, MCP_QUERY, .about = what, .most = 1024                                \
    }

#define TIME(name, what)                                                                           \
    {                                                                                              \
        name, MCP_TEXT, MCP_QUERY,                                                                 \
            .about = what " ISO 8601, such as 2026-11-01 or "                                      \
                          "2026-11-01T12:00:00Z.",                                                 \
            .most = 40                                                                             \
    }

#define KEY                                                                                        \
    {                                                                                              \
        "idempotency_key", MCP_TEXT, MCP_KEY,                                                      \
            .about = "A name of your choice for this request. Sending it again with the same "     \
                     "key writes nothing twice.",                                                  \
            .least = 1, .most = LIMIT_KEY                                                          \
    }

/* ---- reading ---- */

static const struct mcp_field list_fields[] = {
    LIMIT("Sessions in one result.", "50", 200),
    CURSOR("offset"),
    { 0 },
};

static const struct mcp_field get_fields[] = {
    SESSION,
    LIMIT("Entries in one result; fewer if they are long.", "50", 200),
    CURSOR(NULL),
    { "newest", MCP_FLAG, MCP_QUERY,
      .about = "Begin with the last entries of the conversation instead of the first.",
      .fallback = "false" },
    { "messages_only", MCP_FLAG, MCP_QUERY, "messages",
      .about = "Leave out entries that are not messages, such as compactions.",
      .fallback = "false" },
    { "at", MCP_TEXT, MCP_QUERY,
      .about = "Read the path to this entry (its id) instead of the head: another branch.",
      .most = LIMIT_ID },
    { "text_limit", MCP_INTEGER, MCP_QUERY, "cut",
      .about = "Cut longer texts, in bytes; bough.cut then says how long they are.", .least = 256,
      .most = 32768, .fallback = "4096" },
    { 0 },
};

static const char *role_words(size_t i)
{
    static const char *const words[] = { "user", "assistant", "tool", "system", NULL };

    return http_word(words, i);
}

static const struct mcp_field search_fields[] = {
    { "query", MCP_TEXT, MCP_QUERY,
      .about = "Words that must all occur; also \"a phrase\", -not, prefix*, field:value (text, "
               "reasoning, tool, input, output, file, title), or re:expression.",
      .least = 1, .most = 1000, .required = true },
    { "session", MCP_TEXT, MCP_QUERY, .about = "Search in this session only.", .most = LIMIT_ID,
      .session = true },
    PROJECT("Search in sessions of this project only: the name of its directory."),
    { "tool", MCP_TEXT, MCP_QUERY, .about = "Only entries that use this tool.", .most = 128 },
    { "role", MCP_TEXT, MCP_QUERY, "roles", .about = "Only messages with this role.",
      .words = role_words },
    TIME("since", "Only entries at this time or later."),
    TIME("until", "Only entries before this time."),
    LIMIT("Hits in one result.", "20", 100),
    CURSOR(NULL),
    { 0 },
};

static const struct mcp_field context_fields[] = {
    SESSION,
    { "dialect", MCP_TEXT, MCP_QUERY, .about = "The provider or tool the messages are for.",
      .fallback = "openai-chat", .words = context_dialect_name },
    { "at", MCP_TEXT, MCP_QUERY, .about = "The context at this entry (its id), not at the head.",
      .most = LIMIT_ID },
    { "memories", MCP_FLAG, MCP_QUERY,
      .about = "Begin with what was remembered for the session and its project.",
      .fallback = "false" },
    { "cursor", MCP_TEXT, MCP_BODY, /* no part of the route's query */
      .about = "next_cursor of the previous result, to go on behind it.", .least = 1, .most = 9 },
    { 0 },
};

static const struct mcp_field tree_fields[] = {
    SESSION,
    LIMIT("Branches in one result.", "100", 1000),
    CURSOR(NULL),
    { 0 },
};

static const char *group_words(size_t i)
{
    static const char *const words[] = { "none",    "model",   "provider", "project",
                                         "session", "account", "role",     NULL };

    return http_word(words, i);
}

static const char *step_words(size_t i)
{
    static const char *const words[] = { "none", "day", "week", "month", NULL };

    return http_word(words, i);
}

static const struct mcp_field cost_fields[] = {
    { "session", MCP_TEXT, MCP_QUERY, .about = "Only this session and its subagents.",
      .most = LIMIT_ID, .session = true },
    PROJECT("Only calls made for this project."),
    TIME("since", "The first day, in UTC (default: 30 days before until)."),
    TIME("until", "The end (default: now)."),
    { "group", MCP_TEXT, MCP_QUERY, .about = "What to group by.", .fallback = "model",
      .words = group_words },
    { "step", MCP_TEXT, MCP_QUERY, .about = "The steps of a series over time.", .fallback = "none",
      .words = step_words },
    LIMIT("Groups; the rest becomes one more.", "20", 100),
    { 0 },
};

/* ---- writing ---- */

static const struct mcp_field append_fields[] = {
    SESSION,
    { "role", MCP_TEXT, MCP_BODY, .about = "Who says it.", .words = role_words, .required = true },
    { "text", MCP_TEXT, MCP_BODY, .about = "What is said.", .least = 1, .most = 1024 * 1024,
      .required = true },
    KEY,
    { 0 },
};

static void append_body(struct json_writer *w, struct json arguments)
{
    jw_obj(w);
    jw_key(w, "entries");
    jw_arr(w);
    jw_obj(w);
    jw_kv_cstr(w, "kind", "message");
    jw_kv_raw(w, "role", json_raw(json_member(arguments, "role")));
    jw_kv_raw(w, "text", json_raw(json_member(arguments, "text")));
    jw_end_obj(w);
    jw_end_arr(w);
    jw_end_obj(w);
}

static const struct mcp_field fork_fields[] = {
    SESSION,
    { "entry", MCP_TEXT, MCP_BODY,
      .about = "The last entry (its id) that the fork inherits; default: the head.",
      .most = LIMIT_ID },
    { "title", MCP_TEXT, MCP_BODY, .about = "The title of the new session.", .most = LIMIT_TITLE },
    KEY,
    { 0 },
};

static const char *scope_words(size_t i)
{
    static const char *const words[] = { "session", "project", "all", NULL };

    return http_word(words, i);
}

static const struct mcp_field remember_fields[] = {
    { "scope", MCP_TEXT, MCP_BODY, .about = "For a session, for a project, or for all of them.",
      .words = scope_words, .required = true },
    { "of", MCP_TEXT, MCP_BODY, .about = "The session, or the name of the project; not with all.",
      .most = 1024, .session = true },
    { "title", MCP_TEXT, MCP_BODY, .about = "A short title.", .most = LIMIT_TITLE },
    { "content", MCP_TEXT, MCP_BODY, .about = "What to remember.", .least = 1, .most = 65536,
      .required = true },
    { 0 },
};

static const struct mcp_field todo_fields[] = {
    SESSION,
    { "items", MCP_TODOS, MCP_BODY, .about = "The whole list; it replaces the old one.",
      .most = 1000, .required = true },
    { 0 },
};

/* ---- runs ---- */

#define RUN                                                                                        \
    {                                                                                              \
        "run", MCP_TEXT, MCP_PATH, .about = "The run: its id, as list_tasks gives it.",            \
                                   .least = 1, .most = LIMIT_ID, .required = true                  \
    }

static const struct mcp_field task_list_fields[] = {
    { "status", MCP_TEXT, MCP_QUERY,
      .about = "Only runs with one of these statuses, with blanks between them: queued, running, "
               "awaiting_approval, completed, failed, cancelled.",
      .most = 128 },
    PROJECT("Only runs of sessions of this project: the name of its directory."),
    LIMIT("Runs in one result.", "20", 100),
    CURSOR(NULL),
    { 0 },
};

static const struct mcp_field task_fields[] = {
    RUN,
    { 0 },
};

static const struct mcp_field task_new_fields[] = {
    SESSION,
    { "prompt", MCP_TEXT, MCP_BODY, "content", .about = "The task.", .least = 1,
      .most = 1024 * 1024, .required = true },
    { "model", MCP_TEXT, MCP_BODY, .about = "The model; default: that of the session.",
      .most = LIMIT_NAME },
    { "workspace", MCP_TEXT, MCP_BODY, .about = "The folder to work in; default: none.",
      .most = LIMIT_PATH },
    KEY,
    { 0 },
};

static void task_body(struct json_writer *w, struct json arguments)
{
    static const char *const names[][2] = { { "prompt", "content" },
                                            { "model", "model" },
                                            { "workspace", "workspace" } };

    jw_obj(w);
    jw_kv_cstr(w, "runtime", "agent");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct json value = json_member(arguments, names[i][0]);

        if (json_type(value) == JSON_STRING)
            jw_kv_raw(w, names[i][1], json_raw(value));
    }
    jw_end_obj(w);
}

static const char *decision_words(size_t i)
{
    static const char *const words[] = { "approve", "reject", NULL };

    return http_word(words, i);
}

static const struct mcp_field resolve_fields[] = {
    { "approval", MCP_TEXT, MCP_PATH, .about = "The approval: its id.", .least = 1,
      .most = LIMIT_ID, .required = true },
    { "decision", MCP_TEXT, MCP_BODY, .about = "May the call be made?", .words = decision_words,
      .required = true },
    { "note", MCP_TEXT, MCP_BODY, .about = "What the model reads about a rejection.",
      .most = 4096 },
    { 0 },
};

static const struct mcp_field cancel_fields[] = {
    RUN,
    { "note", MCP_TEXT, MCP_BODY, .about = "Why.", .most = 4096 },
    { 0 },
};

const struct mcp_tool mcp_tools[] = {
    { "list_chat_sessions", "List chat sessions",
      "List the recorded chat sessions, last updated first, with title, number of messages and "
      "provider calls, times, and model and cost of the last call.",
      list_fields, "GET", "/hecate/v1/chat/sessions", .paging = MCP_BY_OFFSET, .needs = AUTH_READ },
    { "get_chat_session", "Read a chat session",
      "Read a session: its metadata and the messages of its conversation, oldest first, in pages. "
      "Use newest for how it ended.",
      get_fields, "GET", "/api/v1/sessions/{session}/entries", .fixed = "view=true",
      .first = "/api/v1/sessions/{session}", .paging = MCP_BY_CURSOR, .needs = AUTH_READ },
    { "search_sessions", "Search sessions",
      "Full-text search over all messages, tool calls, outputs and titles, newest first. Each hit "
      "names the session and the entry and shows a snippet.",
      search_fields, "GET", "/api/v1/search", .paging = MCP_BY_CURSOR, .needs = AUTH_READ },
    { "get_context", "Get the context of a session",
      "The messages that a model would be sent to go on with a session, after compactions, in the "
      "form of a provider.",
      context_fields, "GET", "/api/v1/sessions/{session}/context", .paging = MCP_BY_MESSAGE,
      .needs = AUTH_READ },
    { "get_tree", "Get the tree of a session",
      "The branches of a session with what stands on them: labels, compactions, forks, subagents.",
      tree_fields, "GET", "/api/v1/sessions/{session}/outline", .paging = MCP_BY_CURSOR,
      .needs = AUTH_READ },
    { "get_cost", "Get costs",
      "What was spent on model calls: tokens and money, in groups and over time.", cost_fields,
      "GET", "/api/v1/cost", .needs = AUTH_READ },
    { "append_message", "Append a message",
      "Append one message at the end of a session. Nothing is overwritten.", append_fields, "POST",
      "/api/v1/sessions/{session}/entries", .needs = AUTH_APPEND, .body = append_body },
    { "fork_session", "Fork a session",
      "Make a new session that begins with the history of another one. The other one stays as it "
      "is.",
      fork_fields, "POST", "/api/v1/sessions/{session}/fork", .needs = AUTH_FORK },
    { "remember", "Remember",
      "Keep a note for later sessions: contexts can begin with the memories of a session and its "
      "project.",
      remember_fields, "POST", "/api/v1/memories", .needs = AUTH_APPEND },
    { "set_todos", "Set the todo list", "Replace the todo list of a session.", todo_fields, "PUT",
      "/api/v1/sessions/{session}/todos", .needs = AUTH_APPEND, .repeatable = true },
    { "list_tasks", "List runs of agents",
      "List runs, newest first: what answers prompts, with status, limits and counts.",
      task_list_fields, "GET", "/api/v1/runs", .paging = MCP_BY_CURSOR,
      .needs = AUTH_READ | AUTH_RUN },
    { "get_task_status", "Get a run",
      "How a run stands: status, counts, limits, and why it failed.", task_fields, "GET",
      "/api/v1/runs/{run}", .needs = AUTH_READ | AUTH_RUN },
    { "create_task", "Start a task",
      "Send a prompt to a model that may use the tools of the server. It goes on by itself; "
      "get_task_status tells how it stands.",
      task_new_fields, "POST", "/api/v1/sessions/{session}/turns",
      .needs = AUTH_APPEND | AUTH_GATEWAY | AUTH_RUN, .runs = true, .body = task_body },
    { "resolve_approval", "Settle an approval", "Approve or reject one tool call of a run, once.",
      resolve_fields, "POST", "/api/v1/approvals/{approval}/resolve", .needs = AUTH_APPROVE },
    { "cancel_run", "Cancel a run", "Stop a run; what came is kept.", cancel_fields, "POST",
      "/api/v1/runs/{run}/cancel", .needs = AUTH_RUN, .repeatable = true },
    { 0 },
};
