/* Adds bough as an MCP server to the settings of an agent. Only its own entry is changed: the rest
 * of the file stays byte for byte as it is. */
#ifndef CLI_SOURCES_MCP_SETUP_H
#define CLI_SOURCES_MCP_SETUP_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stddef.h>

struct mcp_setup {
    const char *path;       /* the file with the agent's settings */
    const char *entry;      /* what is added, or is put in place of what is there */
    struct bough_str after; /* the whole file */
    bool exists;            /* the file is there */
    bool same;              /* and has this entry already */
};

/* Find out what would be written, without writing. `args` (ends with NULL) follow the command
 * "bough". BOUGH_INVALID: no such agent, or its file cannot be read in one way; nothing is to be
 * written then. */
BOUGH_MUST_CHECK enum bough_rc mcp_setup_plan(struct bough_arena *a, const char *agent,
                                              const char *const *args, struct mcp_setup *out,
                                              struct bough_error *err);

/* Write it. The file is replaced as a whole, with the rights that it had. */
BOUGH_MUST_CHECK enum bough_rc mcp_setup_write(const struct mcp_setup *setup,
                                               struct bough_error *err);

#endif
