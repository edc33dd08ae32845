/* The schemas of all request and response bodies, by name; api.h describes the short form. */
#include "api/kit/api.h"

#define PLACE "string|null" /* "#branch.depth" */
#define WHEN "time|integer" /* in requests: ISO 8601, or milliseconds since 1970 */

const struct api_schema api_schemas[] = {
    { "About", "version:string store:string backend:string epoch:integer last_no:integer "
               "who:string scopes:string project:string|null" },
    { "AlkhubMessage",
      "{\"type\":\"object\",\"required\":[\"id\",\"metadata\",\"createdAt\",\"updatedAt\",\"sess"
      "ionId\",\"role\",\"data\",\"parts\"],\"properties\":{\"parts\":{\"type\":\"array\",\"items"
      "\":{\"type\":\"object\"}}}}" },
    { "AlkhubMessageNew",
      "{\"type\":\"object\",\"required\":[\"role\",\"parts\"],\"properties\":{\"role\":{\"enum\":"
      "[\"user\",\"assistant\",\"system\"]},\"data\":{\"type\":\"object\"},\"metadata\":{\"type\""
      ":\"object\"},\"parts\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"t"
      "ype\",\"data\"]}}}}" },
    { "AlkhubPage",
      "{\"type\":\"object\",\"required\":[\"items\",\"next\"],\"properties\":{\"items\":{\"type\""
      ":\"array\",\"items\":{\"type\":\"object\"}},\"next\":{\"type\":[\"string\",\"null\"]}}}" },
    { "AlkhubSession",
      "{\"type\":\"object\",\"required\":[\"id\",\"metadata\",\"createdAt\",\"updatedAt\",\"acco"
      "untId\",\"projectId\",\"workspaceId\",\"parentId\",\"slug\",\"title\",\"status\",\"versi"
      "on\",\"provider\",\"roleName\",\"data\"]}" },
    { "AlkhubSessionEdit",
      "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},\"status\":{\"enum\":"
      "[\"idle\",\"busy\",\"retry\",\"archived\"]},\"owner\":{\"type\":\"string\"},\"leaseMs\":{\""
      "type\":\"integer\"}}}" },
    { "AlkhubSessionNew",
      "{\"type\":\"object\",\"required\":[\"title\",\"projectId\"],\"properties\":{\"title\":{\""
      "type\":\"string\"},\"projectId\":{\"type\":\"string\"},\"slug\":{\"type\":\"string\"},\"da"
      "ta\":{\"type\":\"object\"},\"metadata\":{\"type\":\"object\"}}}" },
    { "Append", "only entries?:[EntryNew] call?:CallNew at?:string at_root?:boolean "
                "keep_head?:boolean expect_head?:string owner?:string" },
    { "Appended", "ids:[string] call?:string head:" PLACE " no:integer replayed:boolean" },
    { "Attachment", "number:integer url:string size:integer part:integer mime:string name:string" },
    { "Attachments", "items:[Attachment] next:string|null" },
    { "Audit", "no:integer time:time|null action:string target:string detail:string "
               "principal:string" },
    { "Audits", "items:[Audit] next:string|null" },
    { "Branch",
      "branch:integer session:string base:" PLACE " tip:" PLACE " entries:integer head:boolean" },
    { "BranchNew", "only summary:string target?:string|null details?:any from_hook?:boolean" },
    { "Branches", "items:[Branch] next:string|null" },
    { "Call",
      "id:string session:string provider:string model:string kind?:string want_provider?:string "
      "want_model?:string want_kind?:string status?:string request_id?:string error?:any "
      "usage?:any used:Totals total_tokens?:integer duration_ms?:integer time:time|null" },
    { "CallNew",
      "only id?:string request_id?:string want_provider?:string want_model?:string "
      "want_kind?:string provider?:string model?:string kind?:string status?:string error?:any "
      "usage?:any used?:TotalsDelta total_tokens?:integer duration_ms?:integer time?:" WHEN },
    { "Calls", "items:[Call] next:string|null" },
    { "Change", "no:integer count:integer time:time|null kind:string session:string|null "
                "entry?:string" },
    { "Changes", "items:[Change] next:Mark more:boolean reset:boolean" },
    { "Compaction", "only summary:string before?:string first_kept?:string tokens_before?:integer "
                    "tokens_saved?:integer details?:any from_hook?:boolean" },
    { "Context", "count:integer messages:[object] sources:[string] thinking_level?:string "
                 "model_provider?:string model_name?:string marker:string|null "
                 "notes:[ContextNote]" },
    { "ContextNote", "entry:string what:string why:string" },
    { "Delta", "index:integer at?:integer text?:string part?:object state?:object" },
    { "Diff", "common:string|null one:DiffSide other:DiffSide" },
    { "DiffSide", "session:string entries:[string] used:Totals" },
    { "Entries", "items:[Entry] next:string|null" },
    { "Entry",
      "id:string at:" PLACE " session:string no:integer message_number:integer kind:string "
      "role?:string speaker?:string time:time|null deleted?:time|null open?:boolean origin?:string "
      "finish?:string "
      "error?:any call?:string usage?:Totals duration_ms?:integer keep_from?:integer "
      "parts:[object] data?:any metadata?:any" },
    { "EntryNew",
      "only kind?:string role?:string text?:string parts?:string|[object] time?:" WHEN
      " id?:string finish?:string error?:any data?:any metadata?:any keep_from?:integer "
      "usage?:TotalsDelta duration_ms?:integer by_call?:boolean call?:string "
      "call_provider?:string call_model?:string call_request_id?:string" },
    { "Epoch", "only epoch:integer" },
    { "Error", "{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
               "\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
               "\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
               "\"detail\":{}}}}}" },
    { "Finding", "code:string severity:'error'|'warning' where:string text:string" },
    { "Following", "sealed:boolean entry:Entry parts:[object] deltas:[Delta] offset:integer" },
    { "Fork", "only entry?:string before?:boolean copy?:boolean id?:string title?:string "
              "model_provider?:string model_name?:string" },
    { "Format", "name:string about:string suffix:string reads:boolean writes:boolean" },
    { "Formats", "items:[Format] next:string|null" },
    { "Fsck", "findings:[Finding] errors:integer warnings:integer sessions:integer "
              "branches:integer entries:integer records:integer attachments:integer" },
    { "Hash", "hash:string" },
    { "Head", "head:" PLACE " id:string|null" },
    { "HeadMove", "only entry:string" },
    { "HecateExchange",
      "{\"type\":\"object\",\"required\":[\"messages\"],\"properties\":{\"messages\":{\"type\":"
      "\"array\",\"items\":{\"type\":\"object\"}},\"reply\":{\"type\":\"object\"},\"provider_cal"
      "l\":{\"type\":\"object\"},\"owner\":{\"type\":\"string\"}}}" },
    { "HecateExchanged",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"chat_exchange\"},\"data\":{\"type\":\"object\",\"required\":[\"session_id\",\"mat"
      "ched\",\"branched\",\"message_ids\"]}}}" },
    { "HecatePrompt",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"queued_prompt\"},\"data\":{\"type\":\"object\"}}}" },
    { "HecatePromptNew",
      "{\"type\":\"object\",\"required\":[\"content\"],\"properties\":{\"content\":{\"type\":\"s"
      "tring\"}}}" },
    { "HecatePrompts",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"queued_prompts\"},\"data\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}" },
    { "HecateSession",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"chat_session\"},\"data\":{\"type\":\"object\",\"required\":[\"id\",\"title\",\"syst"
      "em_prompt\",\"user\",\"messages\",\"provider_calls\"]}}}" },
    { "HecateSessionEdit",
      "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},\"system_prompt\":{"
      "\"type\":\"string\"}}}" },
    { "HecateSessionNew",
      "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},\"system_prompt\":{"
      "\"type\":\"string\"},\"user\":{\"type\":\"string\"}}}" },
    { "HecateSessions",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\",\"has_more\"],\"properties\":{\"ob"
      "ject\":{\"const\":\"chat_sessions\"},\"data\":{\"type\":\"array\",\"items\":{\"type\":\"ob"
      "ject\"}},\"has_more\":{\"type\":\"boolean\"}}}" },
    { "Hit",
      "session:string slug:string title:string entry:string part:string field:string kind:string "
      "role:string no:integer time:time|null snippet:string matches:[[integer]] "
      "cut_front?:boolean cut_back?:boolean" },
    { "Hits", "items:[Hit] next:string|null complete:boolean pending:integer ignored:integer "
              "refused:string|null" },
    { "Id", "id:string" },
    { "ImportProblem", "line:integer text:string" },
    { "Imported",
      "path:string format:string|null status:'new'|'grew'|'unchanged'|'edited' session:string "
      "bytes:integer lines:integer sessions:integer added:integer known:integer "
      "problems:[ImportProblem] more_problems:integer" },
    { "Label", "entry:string label:string time:time|null" },
    { "LabelOf", "entry:string label:string" },
    { "LabelSet", "only label:string" },
    { "Labels", "items:[Label] next:string|null" },
    { "Lease", "owner:string epoch:integer since:time|null expires:time|null" },
    { "Mark", "epoch:integer no:integer" },
    { "MaybeId", "id:string|null" },
    { "Memories", "items:[Memory] next:string|null" },
    { "Memory", "id:string scope:'session'|'project'|'all' of:string title?:string body?:string "
                "content:string source?:string path?:string created:time|null updated:time|null" },
    { "MemoryNew", "only scope:'session'|'project'|'all' of?:string content:string title?:string "
                   "body?:string source?:string path?:string created?:" WHEN },
    { "MessageNew", "only entry:EntryNew at?:string at_root?:boolean expect_head?:string "
                    "owner?:string lease_ms?:integer" },
    { "MessageOpened", "id:string epoch:integer head:" PLACE " no:integer message_number:integer "
                       "last:integer offset:integer" },
    { "OpenAPI", "{\"type\":\"object\"}" },
    { "OpenMessage", "id:string session:string at:" PLACE " lease:Lease expired:boolean" },
    { "OpenMessages", "items:[OpenMessage] next:string|null" },
    { "Part", "id:string entry:string type:string part:object" },
    { "Path", "items:[Entry] next:string|null marker?:Entry|null" },
    { "Place", "id:string name:string created:time|null sessions:integer" },
    { "PlaceDeleted", "sessions:integer" },
    { "Places", "items:[Place] next:string|null" },
    { "Prompt",
      "id:string session:string content:string runtime_kind?:string provider?:string "
      "model?:string workspace?:string system_prompt?:string adapter_id?:string data?:object "
      "created:time|null updated:time|null" },
    { "PromptEdit", "only content?:string data?:object" },
    { "PromptNew", "only content:string runtime_kind?:string provider?:string model?:string "
                   "workspace?:string system_prompt?:string adapter_id?:string data?:object" },
    { "Prompts", "items:[Prompt] next:string|null" },
    { "Propagated", "items:[PropagatedRow] truncated:boolean" },
    { "PropagatedRow", "session:string rolled:Totals" },
    { "Purged", "session:string entries:integer records:integer kept:integer keepers:[string] "
                "detached:[string]" },
    { "Record", "only history?:[EntryNew] reply?:EntryNew call?:CallNew" },
    { "Recorded", "ids:[string] call?:string head:" PLACE " no:integer replayed:boolean "
                  "matched:integer branched:boolean" },
    { "Recovered", "sealed:integer" },
    { "Repaired", "findings:[Finding] fixed:integer quarantined:integer errors:integer "
                  "warnings:integer sessions:integer branches:integer entries:integer "
                  "records:integer attachments:integer" },
    { "Seal", "only epoch:integer finish?:string error?:any data?:any metadata?:any "
              "usage?:TotalsDelta duration_ms?:integer call?:CallNew parts?:string|[object] "
              "last?:integer" },
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
    { "Source", "path:string format:string hash:string session:string size:integer "
                "offset:integer owner:string expires:time|null updated:time|null ver:integer" },
    { "SourceClaim", "only path:string owner:string ms:integer" },
    { "SourcePut", "only path:string format?:string hash?:string session?:string size?:integer "
                   "offset?:integer owner?:string ver?:integer" },
    { "Sources", "items:[Source] next:string|null" },
    { "Stats", "sessions:integer deleted_sessions:integer branches:integer entries:integer "
               "messages:integer calls:integer records:integer log_rows:integer "
               "content_bytes:integer file_bytes:integer attachments:integer "
               "attachment_bytes:integer spent:Totals" },
    { "Status", "status:'idle'|'busy'|'retry'|'archived' lease?:Lease" },
    { "StatusSet", "only status:'idle'|'busy'|'retry'|'archived' owner?:string lease_ms?:integer" },
    { "Step", "only part?:object text?:string state?:object index?:integer" },
    { "Stepped", "last:integer saved:integer durable:integer offset:integer" },
    { "Steps", "only epoch:integer first?:integer steps:[Step]" },
    { "Store", "id:string backend:string path:string epoch:integer schema:integer last_no:integer "
               "pending:integer version:string sqlite:string" },
    { "Stored", "url:string size:integer" },
    { "Take", "only owner?:string lease_ms?:integer" },
    { "Todo", "content:string status:string priority:string" },
    { "TodoNew", "only content:string status?:'pending'|'in_progress'|'completed'|'cancelled' "
                 "priority?:string" },
    { "Todos", "items:[Todo] total:integer incomplete:integer in_progress:integer "
               "completed:integer cancelled:integer updated:time|null" },
    { "TodosSet", "only items:[TodoNew]" },
    { "Totals", "input:integer output:integer reasoning:integer cache_read:integer "
                "cache_write:integer cost_usd:number" },
    { "TotalsDelta", "only input?:integer output?:integer reasoning?:integer cache_read?:integer "
                     "cache_write?:integer cost_usd?:number" },
    { "UIMessages", "{\"type\":\"object\",\"required\":[\"messages\",\"open\"],\"properties\":{"
                    "\"messages\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
                    "\"open\":{\"type\":[\"string\",\"null\"]}}}" },
    { 0 },
};
