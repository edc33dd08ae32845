/* Schemas of what the API takes and gives, by name; api.h says how they are written. Rows of routes
 * name them. */
#include "api/api.h"

#define PLACE "string|null" /* "#branch.depth" */
#define WHEN "time|integer" /* given: ISO 8601, or milliseconds since 1970 */

const struct api_schema api_schemas[] = {
    { "About", "version:string store:string backend:string epoch:integer last_no:integer "
               "who:string scopes:string project:string|null" },
    { "Append", "only entries?:[EntryNew] call?:CallNew at?:string at_root?:boolean "
                "keep_head?:boolean expect_head?:string owner?:string" },
    { "Appended", "ids:[string] call?:string head:" PLACE " no:integer replayed:boolean" },
    { "Branch",
      "branch:integer session:string base:" PLACE " tip:" PLACE " entries:integer head:boolean" },
    { "BranchNew", "only summary:string target?:string|null details?:any from_hook?:boolean" },
    { "Branches", "items:[Branch] next:string|null" },
    { "CallNew",
      "only id?:string request_id?:string want_provider?:string want_model?:string "
      "want_kind?:string provider?:string model?:string kind?:string status?:string error?:any "
      "usage?:any used?:TotalsDelta total_tokens?:integer duration_ms?:integer time?:" WHEN },
    { "Compaction", "only summary:string before?:string first_kept?:string tokens_before?:integer "
                    "tokens_saved?:integer details?:any from_hook?:boolean" },
    { "Context", "count:integer messages:[object] sources:[string] thinking_level?:string "
                 "model_provider?:string model_name?:string marker:string|null "
                 "notes:[ContextNote]" },
    { "ContextNote", "entry:string what:string why:string" },
    { "Diff", "common:string|null one:DiffSide other:DiffSide" },
    { "DiffSide", "session:string entries:[string] used:Totals" },
    { "Entries", "items:[Entry] next:string|null" },
    { "Entry",
      "id:string at:" PLACE " session:string no:integer message_number:integer kind:string "
      "role?:string time:time|null deleted?:time|null open?:boolean origin?:string finish?:string "
      "error?:any call?:string usage?:Totals duration_ms?:integer keep_from?:integer "
      "parts:[object] data?:any metadata?:any" },
    { "EntryNew",
      "only kind?:string role?:string text?:string parts?:string|[object] time?:" WHEN
      " id?:string finish?:string error?:any data?:any metadata?:any keep_from?:integer "
      "usage?:TotalsDelta duration_ms?:integer by_call?:boolean call?:string "
      "call_provider?:string call_model?:string call_request_id?:string" },
    { "Error", "{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
               "\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
               "\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
               "\"detail\":{}}}}}" },
    { "Fork", "only entry?:string before?:boolean copy?:boolean id?:string title?:string "
              "model_provider?:string model_name?:string" },
    { "Hash", "hash:string" },
    { "Head", "head:" PLACE " id:string|null" },
    { "HeadMove", "only entry:string" },
    { "Id", "id:string" },
    { "Label", "entry:string label:string time:time|null" },
    { "LabelOf", "entry:string label:string" },
    { "LabelSet", "only label:string" },
    { "Labels", "items:[Label] next:string|null" },
    { "Lease", "owner:string epoch:integer since:time|null expires:time|null" },
    { "MaybeId", "id:string|null" },
    { "OpenAPI", "{\"type\":\"object\"}" },
    { "Part", "id:string entry:string type:string part:object" },
    { "Path", "items:[Entry] next:string|null marker?:Entry|null" },
    { "Propagated", "items:[PropagatedRow] truncated:boolean" },
    { "PropagatedRow", "session:string rolled:Totals" },
    { "Purged", "session:string entries:integer records:integer kept:integer keepers:[string] "
                "detached:[string]" },
    { "Record", "only history?:[EntryNew] reply?:EntryNew call?:CallNew" },
    { "Recorded", "ids:[string] call?:string head:" PLACE " no:integer replayed:boolean "
                  "matched:integer branched:boolean" },
    { "Session",
      "id:string number:integer slug:string title:string kind:'primary'|'subagent' "
      "status:'idle'|'busy'|'retry'|'archived' lease?:Lease origin?:string parent:string|null "
      "fork_entry?:string parent_tool_use_id?:string project:string workspace?:string "
      "account?:string role_name?:string provider_path?:string model_provider:string "
      "model_name:string system_prompt?:string user_name?:string version?:string first_user:string "
      "last_user:string last_agent:string data?:any metadata?:any messages:integer calls:integer "
      "own:Totals rolled:Totals adjusted?:Totals totals_mode?:string last_provider?:string "
      "last_model?:string last_request_id?:string last_cost_usd?:number created:time|null "
      "updated:time|null modified:time|null deleted:time|null head:" PLACE " rev:integer" },
    { "SessionEdit",
      "only title?:string project?:string workspace?:string account?:string provider_path?:string "
      "role_name?:string model_provider?:string model_name?:string system_prompt?:string "
      "user_name?:string version?:string data?:any metadata?:any" },
    { "SessionNew",
      "only id?:string kind?:'primary'|'subagent' parent?:string fork_entry?:string "
      "parent_tool_use_id?:string title?:string slug?:string project?:string workspace?:string "
      "account?:string provider_path?:string role_name?:string model_provider?:string "
      "model_name?:string system_prompt?:string user_name?:string version?:string data?:any "
      "metadata?:any totals_mode?:'auto'|'manual' created?:" WHEN " require?:['project'|'model']" },
    { "SessionTotals", "own:Totals rolled:Totals adjusted:Totals calls:integer" },
    { "Sessions", "items:[Session] next:string|null" },
    { "Status", "status:'idle'|'busy'|'retry'|'archived' lease?:Lease" },
    { "StatusSet", "only status:'idle'|'busy'|'retry'|'archived' owner?:string lease_ms?:integer" },
    { "Totals", "input:integer output:integer reasoning:integer cache_read:integer "
                "cache_write:integer cost_usd:number" },
    { "TotalsDelta", "only input?:integer output?:integer reasoning?:integer cache_read?:integer "
                     "cache_write?:integer cost_usd?:number" },
    { 0 },
};
