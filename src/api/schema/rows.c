/* The schemas of our own request and response bodies, by name; schema.h describes the short form.
 */
#include "api/schema/schema.h"

#define PLACE "string|null" /* "#branch.depth" */
#define WHEN "time|integer" /* in requests: ISO 8601, or milliseconds since 1970 */

const struct api_schema api_own_schemas[] = {
    { "About", "The store, the server and the caller.",
      "version:string store:string backend:Backend epoch:integer last_no:integer "
      "who:string scopes:string project:string|null" },
    { "Amendment", "A correction of a sealed message.", "only parts:string|[object]",
      .example = "{\"parts\":[{\"type\":\"text\",\"text\":\"It was the cache.\"}]}" },
    { "Append", "Entries to append, all or none, and the provider call that produced them.",
      "only entries?:[EntryNew] call?:CallNew at?:string at_root?:boolean "
      "keep_head?:boolean expect_head?:string owner?:string",
      .example = "{\"entries\":[{\"role\":\"user\",\"text\":\"Why is the build "
                 "red?\"},{\"role\":\"assistant\",\"text\":\"A test "
                 "fails.\",\"usage\":{\"input\":120,\"output\":9}}]}" },
    { "Appended", "What an append stored.",
      "ids:[string] call?:string head:" PLACE " no:integer replayed:boolean" },
    { "Attachment", "A file that an entry shows.",
      "number:integer url:string size:integer part:integer mime:string name:string" },
    { "Attachments", "A list of attachments.", "items:[Attachment] next:string|null" },
    { "Audit", "One audited action.",
      "no:integer time:time|null action:string target:string detail:string principal:string" },
    { "Audits", "A list of audited actions.", "items:[Audit] next:string|null" },
    { "Branch",
      "A straight run of entries. It hangs on an entry of another branch, or begins at a root.",
      "branch:integer session:string base:" PLACE " tip:" PLACE " entries:integer head:boolean" },
    { "BranchNew", "A move of the head with a summary of the branch it leaves.",
      "only summary:string target?:string|null details?:any from_hook?:boolean",
      .example = "{\"summary\":\"Tried a cache; it did not help.\",\"target\":\"#1.4\"}" },
    { "Branches", "A list of branches.", "items:[Branch] next:string|null" },
    { "Budget", "What may be spent at most in a window, and what was.",
      "id:string scope:BudgetScope of:string window:BudgetWindow cap_usd:number "
      "cap_nano_usd:integer allow_unknown:boolean spent_usd:number spent_nano_usd:integer "
      "reserved_usd:number reserved_nano_usd:integer running:integer unknown:integer "
      "since:time|null until:time|null created:time|null updated:time|null by:string" },
    { "BudgetNew", "A budget to set.",
      "only scope:BudgetScope of?:string window:BudgetWindow cap_usd?:number "
      "cap_nano_usd?:integer allow_unknown?:boolean",
      .example = "{\"scope\":\"project\",\"of\":\"/srv/shop\",\"window\":\"month\","
                 "\"cap_usd\":50}" },
    { "Budgets", "A list of budgets.", "items:[Budget] next:string|null" },
    { "Call", "One request to a model provider, and what it cost.",
      "id:string session:string provider:string model:string kind?:string "
      "want_provider?:string want_model?:string want_kind?:string status?:string "
      "request_id?:string error?:any usage?:any used:Totals cost_known:boolean "
      "total_tokens?:integer duration_ms?:integer time:time|null cost_source?:CostSource "
      "attempt?:integer exchange?:string first_byte_ms?:integer purpose?:string "
      "principal?:string notes?:object" },
    { "CallNew", "A provider call to store. What it used counts towards the totals of the session.",
      "only id?:string request_id?:string want_provider?:string want_model?:string "
      "want_kind?:string provider?:string model?:string kind?:string status?:string "
      "error?:any usage?:any used?:Usage total_tokens?:integer duration_ms?:integer "
      "time?:" WHEN,
      .example =
          "{\"provider\":\"anthropic\",\"model\":\"claude-sonnet-4-5\",\"used\":{\"input\":120,"
          "\"output\":9}}" },
    { "Calls", "A list of calls.", "items:[Call] next:string|null" },
    { "Change", "One commit of the changelog.",
      "no:integer count:integer time:time|null kind:ChangeKind session:string|null "
      "entry?:string record?:string" },
    { "Changes", "A page of the changelog.",
      "items:[Change] next:Mark more:boolean reset:boolean" },
    { "CompactNew", "How a model is to summarise the older part of a conversation.",
      "only provider?:string model?:string keep_tokens?:integer instructions?:string",
      .example = "{\"model\":\"claude-haiku-4-5\",\"keep_tokens\":20000}" },
    { "Compacted", "A summary that a model made, and the marker that holds it.",
      "marker:string summary:string first_kept:string tokens_before:integer "
      "tokens_kept:integer" },
    { "Compaction", "A summary that replaces earlier messages in the context. No entry is removed.",
      "only summary:string before?:string first_kept?:string tokens_before?:integer "
      "tokens_saved?:integer details?:any from_hook?:boolean",
      .example = "{\"summary\":\"The user wants a faster "
                 "build.\",\"before\":\"#1.40\",\"tokens_before\":90000}" },
    { "Context",
      "The messages a model would get, with a note for each entry that is not shown verbatim.",
      "count:integer messages:[object] system?:any sources:[string] thinking_level?:string "
      "model_provider?:string model_name?:string marker:string|null notes:[ContextNote]" },
    { "ContextNote", "An entry that the context does not show as it is stored.",
      "entry:string what:string why:string" },
    { "Cost", "What was spent in some days, in groups and as a series.",
      "since:time|null until:time|null total:Spent previous:Spent groups:[CostGroup] "
      "series:[CostStep] session_median_nano_usd:integer session_p90_nano_usd:integer" },
    { "CostGroup", "What one model, provider, project, session or account spent.",
      "key:string|null name:string calls:integer unknown:integer sessions:integer input:integer "
      "output:integer reasoning:integer cache_read:integer cache_write:integer cost_usd:number "
      "cost_nano_usd:integer duration_ms:integer" },
    { "CostPart", "What one group spent in one step.",
      "key:string|null cost_nano_usd:integer calls:integer input:integer output:integer "
      "cache_read:integer" },
    { "CostStep", "One step of the series.", "from:time|null groups:[CostPart]" },
    { "Delta", "What was added to an open message. It has one of `text`, `part` and `state`.",
      "index:integer at?:integer text?:string part?:object state?:object" },
    { "Diff", "Two paths compared.", "common:string|null one:DiffSide other:DiffSide" },
    { "DiffSide", "What one path has behind the last common entry.",
      "session:string entries:[string] used:Totals" },
    { "Entries", "A list of entries.", "items:[Entry] next:string|null" },
    { "Entry", "One step of a conversation: a message, or something between messages.",
      "id:string at:" PLACE
      " session:string no:integer message_number:integer kind:EntryKind role?:RoleWord "
      "speaker?:Role time:time|null deleted?:time|null open?:boolean origin?:string "
      "finish?:string error?:any call?:string usage?:Totals duration_ms?:integer "
      "keep_from?:integer parts:[object] view?:[PartView] data?:any metadata?:any "
      "calls?:{Call}" },
    { "EntryNew", "An entry to append. A message has a `role`, and `text`, `parts` or both.",
      "only kind?:EntryKind role?:RoleWord text?:string parts?:string|[object] time?:" WHEN
      " id?:string finish?:string error?:any data?:any metadata?:any keep_from?:integer "
      "usage?:Usage duration_ms?:integer by_call?:boolean call?:string "
      "call_provider?:string call_model?:string call_request_id?:string",
      .example = "{\"role\":\"user\",\"text\":\"Why is the build red?\"}" },
    { "Epoch", "The lease of the writer.", "only epoch:integer", .example = "{\"epoch\":1}" },
    { "Error", "Every error has this form.", "error:ErrorBody" },
    { "ErrorBody", "What went wrong.", "code:ErrorCode message:string detail?:any" },
    { "Facet", "A value that sessions have.",
      "provider?:string name:string sessions:integer cost_nano_usd:integer last:time|null" },
    { "Facets", "The values that sessions can be filtered by, each list the last used first.",
      "projects:[Facet] accounts:[Facet] models:[Facet] statuses:[Facet] kinds:[Facet] "
      "last_states:[Facet] roles:[Facet] tools:[Facet] sessions:integer complete:boolean "
      "cut:boolean" },
    { "Finding", "One violation of an invariant.",
      "code:string severity:'error'|'warning' where:string text:string" },
    { "Following", "An open message so far, or what was added to it.",
      "sealed:boolean entry:Entry parts:[object] view?:[PartView] deltas:[Delta] offset:integer" },
    { "Fork", "Where and how to fork a session.",
      "only entry?:string before?:boolean copy?:boolean id?:string title?:string "
      "model_provider?:string model_name?:string",
      .example = "{\"entry\":\"#1.4\",\"title\":\"Another way\"}" },
    { "Format", "A file format for import and export.",
      "name:string about:string suffix:string reads:boolean writes:boolean" },
    { "Formats", "A list of formats.", "items:[Format] next:string|null" },
    { "Fsck", "The result of a check of the store.",
      "findings:[Finding] errors:integer warnings:integer sessions:integer "
      "branches:integer entries:integer records:integer attachments:integer" },
    { "Hash", "The hash of a path.", "hash:string" },
    { "Head", "Where a session is: the entry that the next append goes behind.",
      "head:" PLACE " id:string|null" },
    { "HeadMove", "Where to move the head.", "only entry:string",
      .example = "{\"entry\":\"#1.4\"}" },
    { "Hit", "An entry or a title that a search found.",
      "session:string slug:string title:string entry:string part:string field:SearchField "
      "kind:EntryKind role:Role|'' no:integer time:time|null snippet:string "
      "matches:[[integer]] cut_front?:boolean cut_back?:boolean" },
    { "Hits", "A page of hits, newest first.",
      "items:[Hit] next:string|null complete:boolean pending:integer ignored:integer "
      "refused:string|null" },
    { "Id", "The id of a new entry.", "id:string" },
    { "ImportProblem", "A line that could not be imported.", "line:integer text:string" },
    { "Imported", "The result of an import.",
      "path:string format:FormatName|null status:ImportStatus session:string bytes:integer "
      "lines:integer sessions:integer added:integer known:integer problems:[ImportProblem] "
      "more_problems:integer" },
    { "Label", "A short text on an entry.", "entry:string label:string time:time|null" },
    { "LabelOf", "The label of one entry.", "entry:string label:string" },
    { "LabelSet", "A new label.", "only label:string", .example = "{\"label\":\"works\"}" },
    { "Labels", "A list of labels.", "items:[Label] next:string|null" },
    { "LastBackup", "The last backup that the store remembers.",
      "time:time file:string bytes:integer sessions:integer entries:integer verified:boolean "
      "by:string" },
    { "LastFsck", "The last check that the store remembers.",
      "time:time level:string errors:integer warnings:integer by:string" },
    { "Lease",
      "The right of one owner to work in a session, or to write a message, for a limited time.",
      "owner:string epoch:integer since:time|null expires:time|null" },
    { "LoginLink", "A link that signs a browser in.", "link:string" },
    { "Mark", "A position in the changelog. It is valid for one epoch of the store.",
      "epoch:integer no:integer" },
    { "MaybeId", "The id of an entry, if there is one.", "id:string|null" },
    { "Memories", "A list of memories.", "items:[Memory] next:string|null" },
    { "Memory", "A note that is kept for a session, a project or the whole store.",
      "id:string scope:MemoryScope of:string title?:string body?:string content:string "
      "source?:string path?:string created:time|null updated:time|null" },
    { "MemoryNew", "A memory to add.",
      "only scope:MemoryScope of?:string content:string title?:string body?:string "
      "source?:string path?:string created?:" WHEN,
      .example = "{\"scope\":\"project\",\"of\":\"/srv/shop\",\"content\":\"Tests run with make "
                 "test.\"}" },
    { "MessageNew", "An open message: its position is fixed now, its parts follow as steps.",
      "only entry:EntryNew at?:string at_root?:boolean expect_head?:string owner?:string "
      "lease_ms?:integer",
      .example = "{\"entry\":{\"role\":\"assistant\"},\"owner\":\"worker-1\",\"lease_ms\":60000}" },
    { "MessageOpened", "An open message and its lease.",
      "id:string epoch:integer head:" PLACE
      " no:integer message_number:integer last:integer offset:integer" },
    { "Model",
      "A model that can be asked for, as OpenAI describes one; with `anthropic-version`, as "
      "Anthropic does.",
      "id:string object?:string created?:integer owned_by?:string context_window?:integer "
      "type?:string display_name?:string created_at?:string" },
    { "ModelList", "The models that can be asked for.",
      "object?:string data:[Model] has_more?:boolean first_id?:string|null last_id?:string|null" },
    { "Navigate", "Where to go in the tree of a session.",
      "only entry:string summarize?:boolean provider?:string model?:string "
      "instructions?:string label?:string",
      .example = "{\"entry\":\"@4\",\"summarize\":true,\"model\":\"claude-haiku-4-5\"}" },
    { "Navigated", "Where the head is now.",
      "moved:boolean head:string|null text:string|null summary:string|null" },
    { "OpenAPI", "This description.", "more " },
    { "OpenMessage", "A message that is still being written.",
      "id:string session:string at:" PLACE " lease:Lease expired:boolean" },
    { "OpenMessages", "A list of open messages.", "items:[OpenMessage] next:string|null" },
    { "Outline", "A page of the branches of a session, and what stands on their entries.",
      "head:" PLACE " branches:[OutlineBranch] marks:[OutlineMark] next:string|null" },
    { "OutlineBranch", "A branch as a lane: where it begins and ends, and how it begins.",
      "branch:integer session:string base:" PLACE
      " first:integer tip:integer entries:integer messages:integer role:Role|null "
      "preview:string created:time|null updated:time|null head:boolean" },
    { "OutlineMark", "Something that stands on an entry.",
      "at:" PLACE " entry:string|null kind:OutlineKind text:string time:time|null "
      "session?:string status?:SessionStatus messages?:integer cost_nano_usd?:integer" },
    { "OutputCompaction", "Which output of a tool is compacted.", "only part?:integer",
      .example = "{\"part\":0}" },
    { "Part", "One part of a message.", "id:string entry:string type:PartType part:object" },
    { "PartCut", "The sizes of texts that were cut.", "text?:integer output?:integer" },
    { "PartView", "A part with the same members whichever tool's format it is in.",
      "id:string kind:PartKind type:string text?:string ignored?:boolean synthetic?:boolean "
      "call?:string "
      "tool?:string state?:ToolState failed?:boolean input?:any output?:string images?:integer "
      "mime?:string filename?:string url?:string bytes?:integer has_bytes?:boolean time?:any "
      "metadata?:any raw?:any cut?:PartCut" },
    { "Path", "A page of entries, oldest first.",
      "items:[Entry] next:string|null marker?:Entry|null depth:integer calls?:{Call}" },
    { "PathPrompt", "A message of the user or a compaction on a path.",
      "entry:string at:" PLACE " kind:EntryKind time:time|null message_number:integer "
      "preview:string" },
    { "PathPrompts", "A page of the places on a path to jump to, oldest first.",
      "items:[PathPrompt] next:string|null" },
    { "Pick", "Entries to put onto this session.",
      "only entries:[string] from?:string at?:string at_root?:boolean keep_head?:boolean "
      "expect_head?:string",
      .example = "{\"entries\":[\"#1.4\"],\"at\":\"#2.3\"}" },
    { "Picked", "Where the entries are now.", "ids:[string] shared:integer head:" PLACE },
    { "Place", "A project, a workspace or an account.",
      "id:string name:string created:time|null sessions:integer" },
    { "PlaceDeleted", "What the deletion of a project, workspace or account did.",
      "sessions:integer" },
    { "Places", "A list of projects, workspaces or accounts.", "items:[Place] next:string|null" },
    { "Prompt",
      "A prompt that waits in the queue of a session, with the settings it was written with.",
      "id:string session:string content:string runtime_kind?:string provider?:string "
      "model?:string workspace?:string system_prompt?:string adapter_id?:string "
      "data?:object created:time|null updated:time|null" },
    { "PromptEdit", "The fields of a queued prompt to change.", "only content?:string data?:object",
      .example = "{\"content\":\"Run the tests again.\"}" },
    { "PromptNew", "A prompt to add to the queue.",
      "only content:string runtime_kind?:string provider?:string model?:string "
      "workspace?:string system_prompt?:string adapter_id?:string data?:object",
      .example = "{\"content\":\"Run the tests again.\",\"model\":\"claude-sonnet-4-5\"}" },
    { "Prompts", "A list of prompts.", "items:[Prompt] next:string|null" },
    { "Propagated", "The rolled-up totals after a change: the session, then its ancestors.",
      "items:[PropagatedRow] truncated:boolean" },
    { "PropagatedRow", "The rolled-up totals of one session.", "session:string rolled:Totals" },
    { "Provider", "A provider of models, and how it is.",
      "name:string kind:ProviderKind base_url:string routes:[string] auth:ProviderAuth "
      "configured:boolean key_source:string discovered:boolean default:boolean "
      "reachable:boolean|null checked_at:time|null latency_ms:integer model_count:integer "
      "models_at:time|null models?:[ProviderModel] last_error:string|null "
      "last_error_at:time|null blocked:string|null next_steps:[ProviderStep]" },
    { "ProviderModel", "A model that a provider listed.",
      "id:string context?:integer loaded?:boolean" },
    { "ProviderStep", "What to do so that a provider can be used.", "do:string text:string" },
    { "ProviderTest", "What to test.", "only model:string", .example = "{\"model\":\"qwen3:8b\"}" },
    { "ProviderTested", "How a provider answered.",
      "provider:string model:string route:string answered:boolean status:integer "
      "latency_ms:integer error:string|null" },
    { "Providers", "A list of providers.", "items:[Provider] next:string|null" },
    { "PurgeConcern", "A session that a purge concerns.",
      "id:string title:string slug:string entries:integer" },
    { "PurgePreview", "What a purge would remove and keep.",
      "session:string entries:integer records:integer kept:integer bytes:integer "
      "keepers:[PurgeConcern] detached:[PurgeConcern] cost:Totals cost_to:string|null" },
    { "Purged", "What a purge removed.",
      "session:string entries:integer records:integer kept:integer keepers:[string] "
      "detached:[string]" },
    { "Record", "A whole conversation as a client sent it, the reply and the call.",
      "only history?:[EntryNew] reply?:EntryNew call?:CallNew owner?:string",
      .example = "{\"history\":[{\"role\":\"user\",\"text\":\"Why is the build "
                 "red?\"}],\"reply\":{\"role\":\"assistant\",\"text\":\"A test fails.\"}}" },
    { "Recorded", "What was new in a recorded conversation.",
      "ids:[string] call?:string head:" PLACE
      " no:integer replayed:boolean matched:integer branched:boolean" },
    { "Recovered", "How many open messages were sealed.", "sealed:integer" },
    { "Repaired", "The result of a repair.",
      "findings:[Finding] fixed:integer quarantined:integer errors:integer "
      "warnings:integer sessions:integer branches:integer entries:integer records:integer "
      "attachments:integer" },
    { "Seal", "How an open message ended.",
      "only epoch:integer finish?:string error?:any data?:any metadata?:any "
      "usage?:Usage duration_ms?:integer call?:CallNew parts?:string|[object] "
      "last?:integer",
      .example =
          "{\"epoch\":1,\"finish\":\"stop\",\"usage\":{\"input\":120,\"output\":9},\"last\":2}" },
    { "Session", "One conversation, with its metadata, counts, totals and head.",
      "id:string number:integer slug:string title:string kind:SessionKind "
      "status:SessionStatus lease?:Lease origin?:string parent:string|null "
      "fork_entry?:string parent_tool_use_id?:string project:string workspace?:string "
      "account?:string role_name?:string provider_path?:string model_provider:string "
      "model_name:string system_prompt?:string user_name?:string version?:string "
      "first_user:string last_user:string last_agent:string data?:any metadata?:any "
      "messages:integer calls:integer own:Totals rolled:Totals adjusted?:Totals "
      "totals_mode?:'manual' last_provider?:string last_model?:string "
      "last_request_id?:string last_cost_usd?:number last_cost_nano_usd?:integer created:time|null "
      "updated:time|null "
      "modified:time|null deleted:time|null head:" PLACE " rev:integer errors:integer "
      "last_state:Outcome|null" },
    { "SessionEdit",
      "The fields of a session to change. A missing field stays as it is; null clears one.",
      "only title?:string|null project?:string|null workspace?:string|null account?:string|null "
      "provider_path?:string|null role_name?:string|null model_provider?:string|null "
      "model_name?:string|null "
      "system_prompt?:string|null user_name?:string|null version?:string|null data?:any "
      "metadata?:any",
      .example = "{\"title\":\"Green build\"}" },
    { "SessionNew", "A session to create. Everything is optional.",
      "only id?:string kind?:SessionKind parent?:string fork_entry?:string "
      "parent_tool_use_id?:string title?:string slug?:string project?:string "
      "workspace?:string account?:string provider_path?:string role_name?:string "
      "model_provider?:string model_name?:string system_prompt?:string user_name?:string "
      "version?:string data?:any metadata?:any totals_mode?:'auto'|'manual' created?:" WHEN
      " require?:['project'|'model']",
      .example =
          "{\"title\":\"Red "
          "build\",\"project\":\"/srv/shop\",\"model_provider\":\"anthropic\",\"model_name\":\""
          "claude-sonnet-4-5\"}" },
    { "SessionTotals", "Tokens and cost of a session.",
      "own:Totals rolled:Totals adjusted:Totals calls:integer" },
    { "Sessions", "A list of sessions.",
      "items:[Session] next:string|null total?:integer total_at_least?:integer" },
    { "Source", "An imported file and how far it was read.",
      "path:string format:string hash:string session:string size:integer offset:integer "
      "owner:string expires:time|null updated:time|null ver:integer" },
    { "SourceClaim", "A claim on a file, so that only one importer reads it.",
      "only path:string owner:string ms:integer",
      .example = "{\"path\":\"/srv/shop/session.jsonl\",\"owner\":\"importer-1\",\"ms\":60000}" },
    { "SourcePut", "How far a file was read.",
      "only path:string format?:string hash?:string session?:string size?:integer "
      "offset?:integer owner?:string ver?:integer",
      .example =
          "{\"path\":\"/srv/shop/session.jsonl\",\"size\":4096,\"offset\":4096,\"owner\":\"impor"
          "ter-1\",\"ver\":2}" },
    { "Sources", "A list of imported files.", "items:[Source] next:string|null" },
    { "Spent", "The sum of some calls. Deleted calls and those of purged sessions count.",
      "calls:integer unknown:integer sessions:integer input:integer output:integer "
      "reasoning:integer cache_read:integer cache_write:integer cost_usd:number "
      "cost_nano_usd:integer duration_ms:integer" },
    { "Stats", "Counts of everything in the store.",
      "sessions:integer deleted_sessions:integer branches:integer entries:integer "
      "messages:integer calls:integer records:integer log_rows:integer "
      "content_bytes:integer file_bytes:integer attachments:integer "
      "attachment_bytes:integer spent:Totals" },
    { "Status", "The status of a session and, while it is busy, its lease.",
      "status:SessionStatus lease?:Lease" },
    { "StatusSet", "A new status.", "only status:SessionStatus owner?:string lease_ms?:integer",
      .example = "{\"status\":\"busy\",\"owner\":\"worker-1\",\"lease_ms\":60000}" },
    { "Step", "One addition to an open message. It has exactly one of `part`, `text` and `state`.",
      "only part?:object text?:string state?:object index?:integer",
      .example = "{\"text\":\"lo\",\"index\":0}" },
    { "Stepped", "Which steps were taken, saved and made durable.",
      "last:integer saved:integer durable:integer offset:integer" },
    { "Steps", "Steps to add to an open message, in order.",
      "only epoch:integer first?:integer steps:[Step]",
      .example =
          "{\"epoch\":1,\"first\":1,\"steps\":[{\"part\":{\"type\":\"text\",\"text\":\"Hel\"}},"
          "{\"text\":\"lo\",\"index\":0}]}" },
    { "Store", "The store and how it is doing.",
      "id:string backend:Backend path:string epoch:integer schema:integer last_no:integer "
      "pending:integer text_pending:integer sessions:integer deleted_sessions:integer "
      "at_least:boolean file_bytes:integer wal_bytes:integer last_backup:LastBackup|null "
      "last_fsck:LastFsck|null version:string sqlite:string" },
    { "Stored", "An uploaded file. Name its url in a `file` part.", "url:string size:integer" },
    { "Take", "The new owner of an open message.", "only owner?:string lease_ms?:integer",
      .example = "{\"owner\":\"worker-2\"}" },
    { "Todo", "One item of a todo list.", "content:string status:TodoStatus priority:string" },
    { "TodoNew", "One item of a todo list.",
      "only content:string status?:TodoStatus priority?:string",
      .example = "{\"content\":\"Fix the test\",\"status\":\"in_progress\"}" },
    { "Todos", "The todo list of a session, with counts by status.",
      "items:[Todo] total:integer incomplete:integer in_progress:integer completed:integer "
      "cancelled:integer updated:time|null" },
    { "TodosSet", "The new todo list.", "only items:[TodoNew]",
      .example = "{\"items\":[{\"content\":\"Fix the test\",\"status\":\"in_progress\"}]}" },
    { "Token", "The right of a program or of a browser to use the API.",
      "id:string kind:TokenKind name:string scopes:string project?:string user_agent?:string "
      "created:time|null expires:time|null last_used:time|null revoked:time|null" },
    { "TokenCreated", "A new token with its secret.",
      "id:string kind:TokenKind name:string scopes:string project?:string user_agent?:string "
      "created:time|null expires:time|null last_used:time|null revoked:time|null "
      "secret:string" },
    { "TokenNew", "A token to create.",
      "only name:string scopes:string project?:string expires?:" WHEN,
      .example = "{\"name\":\"ci\",\"scopes\":\"read,export\"}" },
    { "Tokens", "A list of tokens.", "items:[Token] next:string|null" },
    { "Totals", "Tokens and money: what one call spent, or the sum of many.",
      "input:integer output:integer reasoning:integer cache_read:integer "
      "cache_write:integer cost_usd:number cost_nano_usd:integer" },
    { "TotalsDelta", "Tokens and money to add. Missing numbers are 0.",
      "only input?:integer output?:integer reasoning?:integer cache_read?:integer "
      "cache_write?:integer cost_usd?:number cost_nano_usd?:integer",
      .example = "{\"input\":100,\"output\":20}" },
    { "Usage", "Tokens and money that one message or call spent. Missing numbers are 0.",
      "only input?:integer output?:integer reasoning?:integer cache_read?:integer "
      "cache_write?:integer cost_usd?:number cost_nano_usd?:integer",
      .example = "{\"input\":120,\"output\":9,\"cost_usd\":0.001234}" },
    { 0 },
};
