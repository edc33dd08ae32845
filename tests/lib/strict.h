/* Strict validators: would a provider refuse these messages? Written from the providers' rules, not
 * from our writers. The same rules as tests/clients/strict.mjs has for requests of real tools. */
#ifndef TESTS_LIB_STRICT_H
#define TESTS_LIB_STRICT_H

#include <bough/context.h>

/*
 * NULL, or why the provider of that dialect (openai-chat, openai-responses, anthropic, gemini)
 * would refuse the context; in the arena. `trailing`: the last turn may be the model's.
 */
const char *strict_check(struct bough_arena *a, const char *dialect,
                         const struct bough_context_result *c, bool trailing);

#endif
