/* Pointers that must not be NULL: every public function refuses them instead of crashing. */
#include <string.h>

#include "base/text/str.h"
#include "lib/store_test.h"

/* The check comes before any argument is used, so the others may point anywhere. */
static char any[128];

static void refused(const char *call, enum bough_rc rc, const struct bough_error *err)
{
    if (rc != BOUGH_INVALID || !strstr(err->msg, "NULL"))
        FAIL("%s gives %s", call, bough_rc_name(rc));
}

#define REFUSED(call) refused(#call, call, &err)

TEST(no_call_about_append_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_append(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_append((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_append((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_append((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_attachment_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_attachment_begin(NULL, (void *)any, &err));
    REFUSED(bough_attachment_begin((void *)any, NULL, &err));
    REFUSED(bough_attachment_write(NULL, (void *)any, 0, &err));
    REFUSED(bough_attachment_finish(NULL, (void *)any, &err));
    REFUSED(bough_attachment_finish((void *)any, NULL, &err));
    REFUSED(bough_attachment_store(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_attachment_store((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_attachment_store((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_attachment_list(NULL, (void *)any, "x", "x", (void *)any, &err));
    REFUSED(bough_attachment_list((void *)any, NULL, "x", "x", (void *)any, &err));
    REFUSED(bough_attachment_list((void *)any, (void *)any, "x", "x", NULL, &err));
    REFUSED(bough_attachment_read(NULL, "x", "x", (void *)any, &err));
    REFUSED(bough_attachment_read((void *)any, "x", "x", NULL, &err));
}

TEST(no_call_about_audit_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_audit_list(NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_audit_list((void *)any, NULL, (void *)any, &err));
    REFUSED(bough_audit_list((void *)any, (void *)any, NULL, &err));
}

TEST(no_call_about_backup_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_backup(NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_backup_note(NULL, "x", (void *)any, &err));
    REFUSED(bough_backup_note((void *)any, "x", NULL, &err));
}

TEST(no_call_about_branch_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_branch_with_summary(NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_branch_with_summary((void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_branch_with_summary((void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_exchange_crashes_on_a_missing_pointer)
{
    struct bough_exchange_begin_options in = { .nhistory = 1 }, of = { .nsystem = 1 };
    struct bough_exchange_finish_options end = { .nothers = 1 }, failed = { .nfailed = 1 };
    struct bough_error err;

    (void)t;
    REFUSED(bough_exchange_begin(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_begin((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_begin((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_exchange_begin((void *)any, &in, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_begin((void *)any, &of, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_open(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_open((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_open((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_exchange_finish(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_finish((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_exchange_finish((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_exchange_finish((void *)any, (void *)any, &end, (void *)any, &err));
    REFUSED(bough_exchange_finish((void *)any, (void *)any, &failed, (void *)any, &err));
    bough_exchange_destroy(NULL);
}

TEST(no_call_about_call_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_call_list(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_call_list((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_call_list((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_call_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_call_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_call_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_call_delete(NULL, "x", &err));
}

TEST(no_call_about_chat_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_chat_add(NULL, (void *)any, &err));
    REFUSED(bough_chat_add((void *)any, NULL, &err));
    REFUSED(bough_chat_messages(NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_chat_messages((void *)any, NULL, (void *)any, &err));
    REFUSED(bough_chat_messages((void *)any, (void *)any, NULL, &err));
    REFUSED(bough_chat_clear(NULL, &err));
}

TEST(no_call_about_compact_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_compact(NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_compact((void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_compact((void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_context_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_context(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_context((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_context((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_entries_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_entries_read(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_entries_read((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_entries_read((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_entry_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_entry_get(NULL, (void *)any, "x", "x", (void *)any, &err));
    REFUSED(bough_entry_get((void *)any, NULL, "x", "x", (void *)any, &err));
    REFUSED(bough_entry_get((void *)any, (void *)any, "x", "x", NULL, &err));
    REFUSED(bough_entry_delete(NULL, "x", "x", &err));
    REFUSED(bough_entry_restore(NULL, "x", "x", &err));
    REFUSED(bough_entry_amend(NULL, "x", "x", (void *)any, 0, (void *)any, &err));
    REFUSED(bough_entry_amend((void *)any, "x", "x", (void *)any, 0, NULL, &err));
    REFUSED(bough_entry_compact(NULL, "x", "x", 0, (void *)any, &err));
    REFUSED(bough_entry_compact((void *)any, "x", "x", 0, NULL, &err));
    REFUSED(bough_entry_by_number(NULL, (void *)any, "x", 0, (void *)any, &err));
    REFUSED(bough_entry_by_number((void *)any, NULL, "x", 0, (void *)any, &err));
    REFUSED(bough_entry_by_number((void *)any, (void *)any, "x", 0, NULL, &err));
}

TEST(no_call_about_export_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_export_session(NULL, "x", (void *)any, &err));
    REFUSED(bough_export_session((void *)any, "x", NULL, &err));
    REFUSED(bough_export_sessions(NULL, (void *)any, 0, (void *)any, &err));
    REFUSED(bough_export_sessions((void *)any, (void *)any, 0, NULL, &err));
    REFUSED(bough_export_notes(NULL, (void *)any, &err));
    REFUSED(bough_export_notes((void *)any, NULL, &err));
}

TEST(no_call_about_feed_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_feed_next(NULL, (void *)any, (struct bough_mark){ 0 }, 0, 0, (void *)any, &err));
    REFUSED(bough_feed_next((void *)any, NULL, (struct bough_mark){ 0 }, 0, 0, (void *)any, &err));
    REFUSED(bough_feed_next((void *)any, (void *)any, (struct bough_mark){ 0 }, 0, 0, NULL, &err));
    REFUSED(bough_feed_end(NULL, (void *)any, &err));
    REFUSED(bough_feed_end((void *)any, NULL, &err));
}

TEST(no_call_about_group_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_group_list(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_group_list((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_group_list((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_group_delete(NULL, "x", "x", (void *)any, &err));
}

TEST(no_call_about_head_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_head_get(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_head_get((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_head_get((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_head_move(NULL, "x", "x", &err));
    REFUSED(bough_head_reset(NULL, "x", &err));
}

TEST(no_call_about_hygge_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_hygge_marshal(NULL, (void *)any, 0, (void *)any, &err));
    REFUSED(bough_hygge_marshal((void *)any, (void *)any, 0, NULL, &err));
    REFUSED(bough_hygge_unmarshal(NULL, str_of(""), (void *)any, (void *)any, &err));
    REFUSED(bough_hygge_unmarshal((void *)any, str_of(""), NULL, (void *)any, &err));
    REFUSED(bough_hygge_unmarshal((void *)any, str_of(""), (void *)any, NULL, &err));
}

TEST(no_call_about_import_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_import_file(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_import_file((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_import_file((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_label_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_label_set(NULL, "x", "x", "x", &err));
    REFUSED(bough_label_get(NULL, (void *)any, "x", "x", (void *)any, &err));
    REFUSED(bough_label_get((void *)any, NULL, "x", "x", (void *)any, &err));
    REFUSED(bough_label_get((void *)any, (void *)any, "x", "x", NULL, &err));
    REFUSED(bough_label_list(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_label_list((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_label_list((void *)any, (void *)any, "x", NULL, &err));
}

TEST(no_call_about_latest_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_latest_user_entry(NULL, "x", (void *)any, &err));
    REFUSED(bough_latest_user_entry((void *)any, "x", NULL, &err));
}

TEST(no_call_about_marker_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_marker_read(NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_marker_read((void *)any, NULL, (void *)any, &err));
    REFUSED(bough_marker_read((void *)any, (void *)any, NULL, &err));
    REFUSED(bough_marker_list(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_marker_list((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_marker_list((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_marker_latest(NULL, (void *)any, "x", 0, (void *)any, &err));
    REFUSED(bough_marker_latest((void *)any, NULL, "x", 0, (void *)any, &err));
    REFUSED(bough_marker_latest((void *)any, (void *)any, "x", 0, NULL, &err));
}

TEST(no_call_about_memory_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_memory_add(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_memory_add((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_memory_add((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_memory_list(NULL, (void *)any, 0, "x", (void *)any, &err));
    REFUSED(bough_memory_list((void *)any, NULL, 0, "x", (void *)any, &err));
    REFUSED(bough_memory_list((void *)any, (void *)any, 0, "x", NULL, &err));
    REFUSED(bough_memory_forget(NULL, (void *)any, 0, "x", "x", (void *)any, &err));
    REFUSED(bough_memory_forget((void *)any, NULL, 0, "x", "x", (void *)any, &err));
}

TEST(no_call_about_message_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_message_open(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_message_open((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_message_open((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_message_open((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_message_step(NULL, (void *)any, 0, (void *)any, 0, (void *)any, &err));
    REFUSED(bough_message_step((void *)any, NULL, 0, (void *)any, 0, (void *)any, &err));
    REFUSED(bough_message_flush(NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_message_flush((void *)any, NULL, (void *)any, &err));
    REFUSED(bough_message_seal(NULL, (void *)any, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_message_seal((void *)any, NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_message_seal((void *)any, (void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_message_take(NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_message_take((void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_message_follow(NULL, (void *)any, "x", 0, 0, (void *)any, &err));
    REFUSED(bough_message_follow((void *)any, NULL, "x", 0, 0, (void *)any, &err));
    REFUSED(bough_message_follow((void *)any, (void *)any, "x", 0, 0, NULL, &err));
    REFUSED(bough_message_list(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_message_list((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_message_list((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_message_recover(NULL, (void *)any, &err));
}

TEST(no_call_about_money_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_money_from_usd(0, NULL, &err));
}

TEST(no_call_about_part_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_part_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_part_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_part_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_part_check(str_of(""), NULL, &err));
}

TEST(no_call_about_parts_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_parts_split(NULL, str_of(""), (void *)any, (void *)any, &err));
    REFUSED(bough_parts_split((void *)any, str_of(""), NULL, (void *)any, &err));
    REFUSED(bough_parts_split((void *)any, str_of(""), (void *)any, NULL, &err));
}

TEST(no_call_about_path_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_path_hash(NULL, "x", "x", (void *)any, &err));
    REFUSED(bough_path_hash((void *)any, "x", "x", NULL, &err));
}

TEST(no_call_about_queue_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_queue_add(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_queue_add((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_queue_add((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_queue_list(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_queue_list((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_queue_list((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_queue_edit(NULL, (void *)any, "x", "x", (void *)any, (void *)any, &err));
    REFUSED(bough_queue_edit((void *)any, NULL, "x", "x", (void *)any, (void *)any, &err));
    REFUSED(bough_queue_edit((void *)any, (void *)any, "x", "x", NULL, (void *)any, &err));
    REFUSED(bough_queue_remove(NULL, "x", "x", &err));
    REFUSED(bough_queue_promote(NULL, "x", "x", &err));
    REFUSED(bough_queue_take(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_queue_take((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_queue_take((void *)any, (void *)any, "x", NULL, &err));
}

TEST(no_call_about_record_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_record(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_record((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_record((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_record((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_restore_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_restore("x", "x", (void *)any, NULL, (void *)any, &err));
}

TEST(no_call_about_search_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_search(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_search((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_search((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_search((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_search_rebuild(NULL, &err));
}

TEST(no_call_about_session_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_session_create(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_session_create((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_session_create((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_session_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_session_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_session_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_session_purge_preview(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_session_purge_preview((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_session_purge_preview((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_session_facets(NULL, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_session_facets((void *)any, NULL, NULL, (void *)any, &err));
    REFUSED(bough_session_facets((void *)any, (void *)any, NULL, NULL, &err));
    REFUSED(bough_session_list(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_session_list((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_session_list((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_session_continue(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_session_continue((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_session_continue((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_session_root(NULL, "x", (void *)any, &err));
    REFUSED(bough_session_root((void *)any, "x", NULL, &err));
    REFUSED(bough_session_rename(NULL, "x", "x", &err));
    REFUSED(bough_session_update(NULL, "x", (void *)any, &err));
    REFUSED(bough_session_update((void *)any, "x", NULL, &err));
    REFUSED(bough_session_status(NULL, "x", 0, "x", 0, (void *)any, &err));
    REFUSED(bough_session_archive(NULL, "x", &err));
    REFUSED(bough_session_unarchive(NULL, "x", &err));
    REFUSED(bough_session_delete(NULL, "x", &err));
    REFUSED(bough_session_restore(NULL, "x", &err));
    REFUSED(bough_session_clear(NULL, "x", &err));
    REFUSED(bough_session_purge(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_session_purge((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_session_fork(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_session_fork((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_session_fork((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_source_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_source_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_source_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_source_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_source_put(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_source_put((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_source_put((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_source_claim(NULL, (void *)any, "x", "x", 0, (void *)any, &err));
    REFUSED(bough_source_claim((void *)any, NULL, "x", "x", 0, (void *)any, &err));
    REFUSED(bough_source_list(NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_source_list((void *)any, NULL, (void *)any, &err));
    REFUSED(bough_source_list((void *)any, (void *)any, NULL, &err));
}

TEST(no_call_about_spend_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_price_recompute(NULL, NULL, NULL, &err));
    REFUSED(bough_spend(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_spend((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_spend((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_spend((void *)any, (void *)any, (void *)any, NULL, &err));
}

TEST(no_call_about_store_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_store_open(NULL, "x", (void *)any, &err));
    REFUSED(bough_store_info(NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_store_info((void *)any, NULL, (void *)any, &err));
    REFUSED(bough_store_info((void *)any, (void *)any, NULL, &err));
    REFUSED(bough_store_stats(NULL, (void *)any, &err));
    REFUSED(bough_store_stats((void *)any, NULL, &err));
    REFUSED(bough_store_fsck(NULL, 0, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_store_fsck_note(NULL, 0, (void *)any, &err));
    REFUSED(bough_store_fsck_note((void *)any, 0, NULL, &err));
    REFUSED(bough_store_repair(NULL, 0, (void *)any, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_store_upkeep(NULL, &err));
    REFUSED(bough_store_log(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_store_log((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_store_log((void *)any, (void *)any, (void *)any, NULL, &err));
}

TEST(no_call_about_todo_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_todo_replace(NULL, (void *)any, "x", (void *)any, 0, (void *)any, &err));
    REFUSED(bough_todo_replace((void *)any, NULL, "x", (void *)any, 0, (void *)any, &err));
    REFUSED(bough_todo_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_todo_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_todo_get((void *)any, (void *)any, "x", NULL, &err));
}

TEST(no_call_about_totals_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_totals_add(NULL, "x", (void *)any, &err));
    REFUSED(bough_totals_add((void *)any, "x", NULL, &err));
    REFUSED(bough_totals_propagate(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_totals_propagate((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_totals_propagate((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_totals_propagate((void *)any, (void *)any, "x", (void *)any, NULL, &err));
}

TEST(no_call_about_tree_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_tree_branches(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_tree_branches((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_tree_branches((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_tree_outline(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_tree_outline((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_tree_outline((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_tree_prompts(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_tree_prompts((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_tree_prompts((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_tree_entries(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_tree_entries((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_tree_entries((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_tree_children(NULL, (void *)any, "x", "x", (void *)any, &err));
    REFUSED(bough_tree_children((void *)any, NULL, "x", "x", (void *)any, &err));
    REFUSED(bough_tree_children((void *)any, (void *)any, "x", "x", NULL, &err));
    REFUSED(bough_tree_common(NULL, (void *)any, "x", "x", "x", (void *)any, &err));
    REFUSED(bough_tree_common((void *)any, NULL, "x", "x", "x", (void *)any, &err));
    REFUSED(bough_tree_common((void *)any, (void *)any, "x", "x", "x", NULL, &err));
    REFUSED(bough_tree_diff(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_tree_diff((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_tree_diff((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_tree_diff((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_pick(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_pick((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_pick((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_pick((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_tree_lineage(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_tree_lineage((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_tree_lineage((void *)any, (void *)any, "x", NULL, &err));
}

STORE_TEST(no_export_and_no_attachment_is_read_without_a_function_that_takes_it)
{
    struct bough_export_options to = { .format = "bough" };
    struct bough_attachment_read_options of = { 0 };
    struct bough_session x = { .origin = "" };
    struct bough_error err;
    struct bough_chat *chat;
    const char *format;

    REFUSED(bough_export_session(t->store, "x", &to, &err));
    REFUSED(bough_export_sessions(t->store, NULL, 0, &to, &err));
    REFUSED(bough_attachment_read(t->store, "x", "x", &of, &err));
    REFUSED(bough_chat_create(NULL, t->store, NULL, &err));
    REFUSED(bough_chat_create(&chat, NULL, NULL, &err));
    REFUSED(bough_import_format(t->store, NULL, &format, &err));
    REFUSED(bough_import_format(t->store, &x, NULL, &err));
}
