/* Operations: liveness, readiness and Prometheus metrics. */
#include <string.h>

#include "api/events/event.h"

static enum bough_rc healthz(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)req;
    (void)err;
    http_text(res, 200, "text/plain; charset=utf-8");
    http_puts(res, "ok\n");
    return BOUGH_OK;
}

/* Ready: the store answers, and the server is not shutting down. */
static enum bough_rc readyz(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_mark mark;
    enum bough_rc rc;

    if (api_draining(call->api))
        return http_refuse(res, 503, "draining", "the server is stopping");
    rc = bough_feed_end(call->store, &mark, err);
    if (rc) /* the route is public: do not reveal the reason */
        return http_refuse(res, 503, "not_ready", "the store does not answer");
    http_text(res, 200, "text/plain; charset=utf-8");
    http_puts(res, "ready\n");
    return BOUGH_OK;
}

/* ---- metrics ---- */

void api_metric(struct http_res *res, const char *name, const char *type, const char *help,
                int64_t value)
{
    struct buf b;

    buf_init(&b, 2048);
    buf_printf(&b, "# HELP bough_%s %s\n# TYPE bough_%s %s\nbough_%s %lld\n", name, help, name,
               type, name, (long long)value);
    http_write(res, b.p, b.n);
    buf_finish(&b);
}

static void put_server(struct http_res *res, const struct http_figures *f)
{
    const struct {
        const char *name, *type, *help;
        int64_t value;
    } rows[] = {
        { "http_connections", "gauge", "Open connections.", f->connections },
        { "http_accepted_total", "counter", "Connections accepted.", f->accepted },
        { "http_refused_total", "counter", "Connections refused because of a limit.",
          f->refused_full },
        { "http_requests_total", "counter", "Requests received.", f->requests },
        { "http_bad_requests_total", "counter", "Requests refused by the parser.",
          f->bad_requests },
        { "http_overloaded_total", "counter", "Requests refused because the worker queue was full.",
          f->overloaded },
        { "http_cancelled_total", "counter", "Requests whose client disconnected.", f->cancelled },
        { "http_timed_out_total", "counter", "Connections closed by a deadline.", f->timed_out },
        { "http_received_bytes_total", "counter", "Bytes read.", f->bytes_in },
        { "http_sent_bytes_total", "counter", "Bytes written.", f->bytes_out },
        { "http_waiting", "gauge", "Requests waiting for a worker.", f->waiting },
        { "http_running", "gauge", "Requests being processed.", f->running },
        { "http_worker_microseconds_total", "counter", "Time spent in handlers.", f->worker_us },
        { "http_streams", "gauge", "Open event streams.", f->streams },
        { "http_stream_events_total", "counter", "Events sent to streams.", f->stream_events },
        { "http_stream_dropped_total", "counter", "Streams closed because they fell behind.",
          f->stream_dropped },
        { "http_stream_aged_total", "counter", "Streams closed at their maximum age.",
          f->stream_aged },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        api_metric(res, rows[i].name, rows[i].type, rows[i].help, rows[i].value);
    http_puts(res, "# HELP bough_http_responses_total Responses by status class.\n# TYPE "
                   "bough_http_responses_total counter\n");
    for (int i = 1; i <= 5; i++) {
        struct buf b;

        buf_init(&b, 256);
        buf_printf(&b, "bough_http_responses_total{class=\"%dxx\"} %lld\n", i,
                   (long long)f->status[i]);
        http_write(res, b.p, b.n);
        buf_finish(&b);
    }
}

static enum bough_rc metrics(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct http_figures f;
    struct bough_store_info_result info;
    enum bough_rc rc = bough_store_info(call->store, req->arena, &info, err);

    if (rc)
        return rc;
    http_text(res, 200, "text/plain; version=0.0.4; charset=utf-8");
    api_metric(res, "store_last_no", "counter", "Number of the last change.", info.last_no);
    api_metric(res, "store_pending", "gauge", "Changes not yet applied to the session lists.",
               info.pending);
    api_metric(res, "store_text_pending", "gauge", "Changes not yet in the full-text index.",
               info.text_pending);
    api_metric(res, "store_batches_total", "counter", "Commits.", info.batches);
    api_metric(res, "store_batched_total", "counter", "Write requests committed.", info.batched);
    api_metric(res, "store_commit_microseconds_total", "counter",
               "Time spent in commits, syncs included.", info.commit_us);
    api_metric(res, "store_log_bytes", "gauge", "Size of the write-ahead log.", info.log_bytes);
    api_metric(res, "store_oldest_read_milliseconds", "gauge", "Age of the oldest open snapshot.",
               info.oldest_read_ms);
    api_metric(res, "store_epoch", "gauge", "Changes when a backup is restored.", info.epoch);
    api_metric(res, "events_unheard_total", "counter",
               "Changes skipped because no event stream was open.",
               (int64_t)event_pump_skipped(api_pump(call->api)));
    if (api_figures(call->api, &f))
        put_server(res, &f);
    api_more_metrics(req, res);
    return BOUGH_OK;
}

const struct http_route api_care_routes[] = {
    { "GET", "/healthz", healthz, AUTH_OPEN, "Liveness: the process is running.", .gives = "text",
      .flags = HTTP_ON_LOOP },
    { "GET", "/readyz", readyz, AUTH_OPEN,
      "Readiness: the store answers and the server is not stopping.", .gives = "text" },
    { "GET", "/metrics", metrics, AUTH_ADMIN, "Metrics in Prometheus text format.",
      .gives = "text" },
    { 0 },
};
