/* Samples, quantiles, and interleaved runs of several sides. */
#include <stdlib.h>
#include <time.h>

#include "base/memory/mem.h"
#include "bench.h"

double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

void sleep_us(double us)
{
    struct timespec t = { (time_t)(us / 1e6), (long)(us * 1e3) % 1000000000 };

    if (us > 0)
        nanosleep(&t, NULL);
}

void sample(struct samples *s, double value)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->at = mem_realloc(s->at, mem_array(s->cap, sizeof *s->at));
    }
    s->at[s->n++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(struct samples *s, double q)
{
    if (!s->n)
        return 0;
    qsort(s->at, s->n, sizeof *s->at, compare);
    return s->at[(size_t)(q * (double)(s->n - 1) + 0.5)];
}

double median(struct samples *s)
{
    return quantile(s, 0.5);
}

void samples_finish(struct samples *s)
{
    mem_free(s->at);
    *s = (struct samples){ 0 };
}

void samples_note(const char *what, struct samples *s)
{
    note("%-28s p50 %9.1f us  (p10 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f, n %zu)", what, median(s),
         quantile(s, 0.1), quantile(s, 0.9), quantile(s, 0.99), quantile(s, 0.999), s->n);
}

uint64_t rng_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

size_t rng_below(uint64_t *state, size_t n)
{
    return (size_t)((rng_next(state) >> 32) * n >> 32);
}

static void run_block(struct side *s, size_t block)
{
    for (size_t i = 0; i < block; i++) {
        double from = now_us();

        s->run(s->user, s->i++);
        sample(&s->us, now_us() - from);
    }
}

void interleave(struct side *sides, size_t n, size_t rounds, size_t block)
{
    uint64_t rng = 7;
    size_t order[16];

    for (size_t i = 0; i < n; i++) {
        order[i] = i;
        sides[i].run(sides[i].user, sides[i].i++); /* warm-up, not counted */
    }
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = n; i > 1; i--) {
            size_t k = rng_below(&rng, i), t = order[i - 1];

            order[i - 1] = order[k];
            order[k] = t;
        }
        for (size_t i = 0; i < n; i++)
            run_block(&sides[order[i]], block);
    }
    for (size_t i = 0; i < n; i++)
        samples_note(sides[i].name, &sides[i].us);
}

void sides_finish(struct side *sides, size_t n)
{
    for (size_t i = 0; i < n; i++)
        samples_finish(&sides[i].us);
}
