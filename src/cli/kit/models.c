/* Models for commands. */
#include "cli/kit/models.h"

#include "cli/kit/config.h"

int cli_models(struct cli *c, struct gateway **out)
{
    struct gateway_config config = { .store = c->s };
    struct config_pairs all;

    if (config_each(c->a, &all, &c->err))
        return cli_failed(c);
    config.settings = all.at;
    config.n = all.n;
    return gateway_create(out, &config, &c->err) ? cli_failed(c) : CLI_DONE;
}
