/* What is behind a runner, for the work on its runs. */
#include "run/runner.h"

const char *runner_host(const struct runner *r)
{
    return r->settings.host;
}

struct gateway *runner_gateway(struct runner *r)
{
    return r->config.gateway;
}

struct tool_host *runner_tools(struct runner *r)
{
    return r->config.tools;
}

struct children *runner_children(struct runner *r)
{
    return r->config.children;
}

struct agents *runner_agents(struct runner *r)
{
    return r->agents;
}

const struct gateway_setting *runner_settings(const struct runner *r, size_t *n)
{
    *n = r->config.n;
    return r->config.settings;
}
