/* The table of commands. Keep it sorted by name: help prints it in this order, and a test checks
 * it. */
#include "cli/commands.h"

const struct cli_cmd *const cli_commands[] = {
    &cmd_append,   &cmd_archive,    &cmd_backup,    &cmd_branch,
    &cmd_compact,  &cmd_completion, &cmd_config,    &cmd_context,
    &cmd_continue, &cmd_cost,       &cmd_demo,      &cmd_diff,
    &cmd_doctor,   &cmd_export,     &cmd_fork,      &cmd_fsck,
    &cmd_head,     &cmd_help,       &cmd_import,    &cmd_label,
    &cmd_log,      &cmd_ls,         &cmd_markers,   &cmd_memory,
    &cmd_migrate,  &cmd_new,        &cmd_prices,    &cmd_purge,
    &cmd_queue,    &cmd_rename,     &cmd_restore,   &cmd_restore_backup,
    &cmd_resume,   &cmd_rm,         &cmd_search,    &cmd_serve,
    &cmd_show,     &cmd_sql,        &cmd_stats,     &cmd_todo,
    &cmd_token,    &cmd_tree,       &cmd_unarchive, &cmd_version,
    NULL,
};
