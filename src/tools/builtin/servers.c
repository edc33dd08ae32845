/* The list of built-in tool servers. */
#include "tools/builtin/builtin.h"

const struct builtin_server *const builtin_servers[] = {
    &builtin_files, &builtin_bough, &builtin_shell, &builtin_demo, NULL,
};
