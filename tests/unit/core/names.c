/* Names of kinds, roles, statuses and part types. */
#include "core/model/names.h"

#include "lib/test.h"

TEST(every_entry_kind_has_a_name_that_reads_back)
{
    int k;

    for (k = BOUGH_ENTRY_MESSAGE; k <= BOUGH_ENTRY_OTHER; k++)
        CHECK_INT(k, entry_kind_parse(bough_entry_kind_name((enum bough_entry_kind)k)));
    CHECK_STR("model_change", bough_entry_kind_name(BOUGH_ENTRY_MODEL_CHANGE));
    CHECK_INT(BOUGH_ENTRY_OTHER, entry_kind_parse("context_edit"));
    CHECK_INT(BOUGH_ENTRY_OTHER, entry_kind_parse(NULL));
}

TEST(roles_read_back_and_unknown_ones_are_other) /* U11 */
{
    int r;

    for (r = BOUGH_ROLE_NONE; r <= BOUGH_ROLE_OTHER; r++)
        CHECK_INT(r, bough_role_parse(bough_role_name((enum bough_role)r)));
    CHECK_STR("", bough_role_name(BOUGH_ROLE_NONE));
    CHECK_INT(BOUGH_ROLE_NONE, bough_role_parse(NULL));
    CHECK_INT(BOUGH_ROLE_OTHER, bough_role_parse("narrator"));
}

TEST(other_tools_words_for_roles_are_known) /* U11 */
{
    CHECK_INT(BOUGH_ROLE_TOOL, bough_role_parse("toolResult"));
    CHECK_INT(BOUGH_ROLE_BASH, bough_role_parse("bashExecution"));
    CHECK_INT(BOUGH_ROLE_CUSTOM, bough_role_parse("hookMessage"));
    CHECK_INT(BOUGH_ROLE_SYSTEM, bough_role_parse("developer"));
}

TEST(statuses_and_part_types_have_names)
{
    CHECK_STR("idle", bough_status_name(BOUGH_STATUS_IDLE));
    CHECK_STR("busy", bough_status_name(BOUGH_STATUS_BUSY));
    CHECK_STR("retry", bough_status_name(BOUGH_STATUS_RETRY));
    CHECK_STR("archived", bough_status_name(BOUGH_STATUS_ARCHIVED));
    CHECK_STR("text", bough_part_type_name(BOUGH_PART_TEXT));
    CHECK_STR("step-finish", bough_part_type_name(BOUGH_PART_STEP_FINISH));
    CHECK_STR("other", bough_part_type_name(BOUGH_PART_OTHER));
}
