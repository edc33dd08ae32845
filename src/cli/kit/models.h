/* Models for commands: the providers of the configuration. */
#ifndef CLI_KIT_MODELS_H
#define CLI_KIT_MODELS_H

#include "cli/kit/cli.h"
#include "gateway/gateway.h"
#include "run/run.h"

/* Create the gateway of the configuration over the open store, if there is one. *out must be
 * destroyed. CLI_DONE, or an exit code after printing a message. */
int cli_models(struct cli *c, struct gateway **out);

/* What answers prompts in this process: models, tools, agents and the runner over them. */
struct cli_runner {
    struct gateway *gateway;
    struct children *children;
    struct tool_host *tools;
    struct runner *runner;
};

struct cli_runner_options {
    struct bough_store *store; /* borrowed */
    const char *host;          /* as in runner_config; NULL: by the configuration */
    const char *workspace;     /* this folder is allowed besides those of the configuration */
    bool hide_keys;            /* take the keys of providers out of the environment */
    const struct gateway_setting *settings; /* instead of the configuration; NULL: none */
    size_t n;
};

/* Create all of it from the configuration. *out must be destroyed, also after a failure. */
BOUGH_MUST_CHECK enum bough_rc cli_runner_create(struct cli *c, const struct cli_runner_options *in,
                                                 struct cli_runner *out, struct bough_error *err);
void cli_runner_destroy(struct cli_runner *r); /* ends the runs, then the rest */

#endif
