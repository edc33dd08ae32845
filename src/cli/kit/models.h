/* Models for commands: the providers of the configuration. */
#ifndef CLI_KIT_MODELS_H
#define CLI_KIT_MODELS_H

#include "cli/kit/cli.h"
#include "gateway/gateway.h"

/* Create the gateway of the configuration over the open store, if there is one. *out must be
 * destroyed. CLI_DONE, or an exit code after printing a message. */
int cli_models(struct cli *c, struct gateway **out);

#endif
