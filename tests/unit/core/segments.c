/* Segments of a session, from its runs and messages. */
#include "core/activity/segments.h"

#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "build.h"

struct story {
    struct path p;
    struct bough_run runs[16];
    struct bough_call calls[16];
    size_t nruns, ncalls;
};

/* A run with a prompt and an answer, completed. */
static struct bough_run *add_run(struct story *s, enum bough_run_runtime runtime, const char *task,
                                 const char *provider, const char *model)
{
    struct bough_entry *prompt = add_message(&s->p, BOUGH_ROLE_USER, "\"go\"", NULL);
    struct bough_entry *answer = add_message(&s->p, BOUGH_ROLE_ASSISTANT, "\"ok\"", NULL);
    struct bough_run *run = &s->runs[s->nruns++];

    *run = (struct bough_run){ .runtime = runtime,
                               .status = BOUGH_RUN_COMPLETED,
                               .task = task,
                               .native_id = "",
                               .provider = provider,
                               .model = model,
                               .workspace = runtime == BOUGH_RUNTIME_MODEL ? "" : "/w",
                               .first = prompt->at,
                               .last = answer->at };
    snprintf(run->id, sizeof run->id, "run%zu", s->nruns);
    memcpy(run->prompt, prompt->id, sizeof run->prompt);
    return run;
}

/* A prompt and an answer without a run, by a call. */
static void add_exchange(struct story *s, const char *provider, const char *model)
{
    struct bough_call *c = &s->calls[s->ncalls++];
    struct bough_entry *e;

    add_message(&s->p, BOUGH_ROLE_USER, "\"go\"", NULL);
    e = add_message(&s->p, BOUGH_ROLE_ASSISTANT, "\"ok\"", NULL);
    *c = (struct bough_call){ .provider = provider, .model = model };
    snprintf(c->id, sizeof c->id, "call%zu", s->ncalls);
    memcpy(e->call, c->id, sizeof e->call);
}

/* One line a segment: id runtime provider/model run status messages started-updated. */
static const char *print(struct story *s)
{
    struct segments_input in = { .session = "S",
                                 .runs = s->runs,
                                 .nruns = s->nruns,
                                 .entries = s->p.at,
                                 .n = s->p.n,
                                 .calls = s->calls,
                                 .ncalls = s->ncalls };
    struct bough_arena *a = s->p.t->arena;
    char *out = arena_strdup(a, "");
    struct segments l;

    segments_build(a, &in, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct segment *x = &l.at[i];

        out = arena_printf(a, "%s%s %s %s/%s task=%s run=%s %s %s %lld %lld-%lld\n", out, x->id,
                           bough_run_runtime_name(x->runtime), x->provider, x->model, x->task,
                           x->latest_run, x->workspace, x->status, (long long)x->messages,
                           (long long)x->started, (long long)x->updated);
    }
    return out;
}

TEST(a_path_without_messages_has_no_segment)
{
    struct story s = { .p.t = t };

    CHECK_STR("", print(&s));
    add_entry(&s.p, "custom", "{}");
    add_message(&s.p, BOUGH_ROLE_USER, "\"go\"", NULL)->deleted = 5;
    CHECK_STR("", print(&s));
}

TEST(C19_a_task_is_one_segment_and_a_model_in_between_another)
{
    struct story s = { .p.t = t };

    add_run(&s, BOUGH_RUNTIME_AGENT, "T1", "p", "m");
    add_run(&s, BOUGH_RUNTIME_AGENT, "T1", "p", "m");
    add_run(&s, BOUGH_RUNTIME_MODEL, "run3", "p", "m");
    add_run(&s, BOUGH_RUNTIME_AGENT, "T4", "p", "m")->status = BOUGH_RUN_RUNNING;
    CHECK_STR("task:T1 agent p/m task=T1 run=run2 /w completed 4 1001-1004\n"
              "session:S model p/m task= run=run3  completed 2 1005-1006\n"
              "task:T4 agent p/m task=T4 run=run4 /w running 2 1007-1008\n",
              print(&s));
}

TEST(C19_equal_segments_are_one_at_the_place_of_the_first)
{
    struct story s = { .p.t = t };

    add_run(&s, BOUGH_RUNTIME_MODEL, "run1", "p", "m");
    add_run(&s, BOUGH_RUNTIME_AGENT, "T2", "p", "m");
    add_run(&s, BOUGH_RUNTIME_MODEL, "run3", "p", "m")->updated = 5000;
    CHECK_STR("session:S model p/m task= run=run3  completed 4 1001-5000\n"
              "task:T2 agent p/m task=T2 run=run2 /w completed 2 1003-1004\n",
              print(&s));
}

TEST(C19_another_provider_or_model_begins_a_model_segment)
{
    struct story s = { .p.t = t };

    add_run(&s, BOUGH_RUNTIME_MODEL, "run1", "p", "m");
    add_run(&s, BOUGH_RUNTIME_MODEL, "run2", "p", "n");
    add_run(&s, BOUGH_RUNTIME_MODEL, "run3", "q", "n");
    add_exchange(&s, "q", "n");
    add_exchange(&s, "p", "m");
    CHECK_STR("session:S model p/m task= run=run1  completed 2 1001-1002\n"
              "session:S:2 model p/n task= run=run2  completed 2 1003-1004\n"
              "session:S:3 model q/n task= run=run3  completed 4 1005-1008\n"
              "session:S:4 model p/m task= run=  completed 2 1009-1010\n",
              print(&s));
}

TEST(C19_an_external_agent_is_named_by_its_native_session)
{
    struct story s = { .p.t = t };

    add_run(&s, BOUGH_RUNTIME_EXTERNAL, "T1", "", "")->native_id = "n1";
    add_run(&s, BOUGH_RUNTIME_EXTERNAL, "T2", "", "")->native_id = "n1";
    add_run(&s, BOUGH_RUNTIME_EXTERNAL, "T3", "", "");
    CHECK_STR("external:n1 external / task=T2 run=run2 /w completed 4 1001-1004\n"
              "external:T3 external / task=T3 run=run3 /w completed 2 1005-1006\n",
              print(&s));
}

TEST(a_run_without_a_prompt_begins_at_its_first_entry)
{
    struct story s = { .p.t = t };
    struct bough_run *run;

    add_run(&s, BOUGH_RUNTIME_MODEL, "run1", "p", "m");
    run = add_run(&s, BOUGH_RUNTIME_AGENT, "T2", "p", "m");
    memset(run->prompt, 0, sizeof run->prompt);
    CHECK_STR("session:S model p/m task= run=run1  completed 2 1001-1002\n"
              "task:T2 agent p/m task=T2 run=run2 /w completed 2 1003-1004\n",
              print(&s));
}

TEST(messages_behind_a_run_that_has_ended_are_not_its_own)
{
    struct story s = { .p.t = t };

    add_run(&s, BOUGH_RUNTIME_AGENT, "T1", "p", "m");
    add_exchange(&s, "p", "m");
    add_message(&s.p, BOUGH_ROLE_USER, "\"unanswered\"", NULL);
    CHECK_STR("task:T1 agent p/m task=T1 run=run1 /w completed 2 1001-1002\n"
              "session:S model p/m task= run=  completed 3 1003-1005\n",
              print(&s));
}

TEST(an_answer_says_the_status_of_a_segment_without_a_run)
{
    struct story s = { .p.t = t };

    add_message(&s.p, BOUGH_ROLE_USER, "\"go\"", NULL);
    CHECK_STR("session:S model / task= run=   1 1001-1001\n", print(&s));
    add_exchange(&s, "p", "m");
    s.p.at[2].finish = "error";
    CHECK_STR("session:S model p/m task= run=  failed 3 1001-1003\n", print(&s));
    s.p.at[2].finish = "interrupted";
    CHECK_STR("session:S model p/m task= run=  cancelled 3 1001-1003\n", print(&s));
    s.p.at[2].open = true;
    CHECK_STR("session:S model p/m task= run=  running 3 1001-1003\n", print(&s));
}

TEST(C19_each_entry_is_told_its_segment_and_its_run)
{
    struct story s = { .p.t = t };
    struct segments_input in = { .session = "S", .runs = s.runs, .calls = s.calls };
    struct segments l;
    char *out = arena_strdup(t->arena, "");

    add_message(&s.p, BOUGH_ROLE_USER, "\"go\"", NULL); /* held until the answer */
    add_exchange(&s, "p", "m");
    add_run(&s, BOUGH_RUNTIME_AGENT, "T", "p", "m");
    add_entry(&s.p, "custom", "{}"); /* behind the run, and no message */
    add_message(&s.p, BOUGH_ROLE_USER, "\"go\"", NULL);
    in.nruns = s.nruns;
    in.entries = s.p.at;
    in.n = s.p.n;
    in.ncalls = s.ncalls;
    segments_build(t->arena, &in, &l);
    for (size_t i = 0; i < in.n; i++)
        out = arena_printf(t->arena, "%s %d/%d", out, l.of[i] == SEGMENT_NONE ? -1 : (int)l.of[i],
                           l.run[i] == SEGMENT_NONE ? -1 : (int)l.run[i]);
    CHECK_STR(" 0/-1 0/-1 0/-1 1/0 1/0 -1/-1 1/-1", out);
}
