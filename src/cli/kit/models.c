/* Models for commands. */
#include "cli/kit/models.h"

#include "child/child.h"
#include "cli/kit/config.h"
#include "tools/tools.h"

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

enum bough_rc cli_runner_create(struct cli *c, const struct cli_runner_options *in,
                                struct cli_runner *out, struct bough_error *err)
{
    struct config_pairs all = { (struct gateway_setting *)in->settings, in->n };
    enum bough_rc rc = in->settings ? BOUGH_OK : config_each(c->a, &all, err);

    *out = (struct cli_runner){ 0 };
    if (!rc)
        rc = gateway_create(
            &out->gateway,
            &(struct gateway_config){ .store = in->store, .settings = all.at, .n = all.n }, err);
    if (!rc)
        rc = children_create(&out->children, err);
    if (!rc)
        rc = tool_host_create(
            &out->tools,
            &(struct tool_host_config){
                .store = in->store, .children = out->children, .settings = all.at, .n = all.n },
            err);
    if (!rc)
        rc = runner_create(&out->runner,
                           &(struct runner_config){ .store = in->store,
                                                    .gateway = out->gateway,
                                                    .tools = out->tools,
                                                    .children = out->children,
                                                    .settings = all.at,
                                                    .n = all.n,
                                                    .host = in->host,
                                                    .workspace = in->workspace },
                           err);
    if (!rc && in->hide_keys) /* behind the tools and agents, which may be given some */
        providers_hide_keys(gateway_providers(out->gateway));
    return rc;
}

void cli_runner_destroy(struct cli_runner *r)
{
    runner_destroy(r->runner);
    tool_host_destroy(r->tools);
    children_destroy(r->children);
    gateway_destroy(r->gateway);
}
