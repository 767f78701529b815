# SPDX-License-Identifier: GPL-2.0-only
# What SARIF 2.1.0 asks of a log, as far as iblint's can have it: which properties an object must and may have, of what type
# and with which values they are, and that references between them hold. A line of output is a complaint.
#
#	jq -r -f tests/guest/lint/sarif.jq FILE

def is($at; $what; test): if (try test catch false) then empty else "\($at): \($what)" end;

def one_of($values): . as $it | $values | index($it) != null;

# A property bag: anything, but tags are strings, each once.
def bag($at):
	is($at; "is no object"; type == "object"),
	is($at; "tags are no list of different strings";
		(.tags // []) | type == "array" and all(.[]; type == "string") and (unique | length) == length);

def object($at; $must; $may):
	if type != "object" then "\($at): is no object"
	else
		(($must - keys)[] | "\($at): has no \(.)"),
		((keys - $must - $may - ["properties"])[] | "\($at): no property is called \(.)"),
		(.properties // {} | bag($at + ".properties"))
	end;

# each($at; key; check): of a list that may be missing
def list($at; $key):
	if has($key) | not then empty
	elif .[$key] | type != "array" then {at: "\($at).\($key)", complaint: "is no list"}
	else .[$key] | to_entries[] | {at: "\($at).\($key)[\(.key)]", it: .value}
	end;

def text($at; $key): is($at; "\($key) is no text"; (has($key) | not) or (.[$key] | type == "string" and length > 0));
def time($at; $key):
	is($at; "\($key) is no time"; (has($key) | not) or
		(.[$key] | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z$")));
def uri($at; $key):
	is($at; "\($key) is no URI"; (has($key) | not) or
		(.[$key] | test("^([A-Za-z][A-Za-z0-9+.-]*:)?([A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$")));

def message($at):
	object($at; []; ["text", "markdown", "id", "arguments"]),
	is($at; "has neither text nor id"; has("text") or has("id")),
	text($at; "text");

def described($at; $key):
	if has($key) then .[$key] | object("\($at).\($key)"; ["text"]; ["markdown"]), text("\($at).\($key)"; "text") else empty end;

def levels: ["none", "note", "warning", "error"];

def rule($at):
	object($at; ["id"]; ["deprecatedIds", "guid", "deprecatedGuids", "name", "deprecatedNames", "shortDescription",
		"fullDescription", "messageStrings", "defaultConfiguration", "helpUri", "help", "relationships"]),
	text($at; "id"), text($at; "name"), uri($at; "helpUri"),
	described($at; "shortDescription"), described($at; "fullDescription"), described($at; "help"),
	(.defaultConfiguration // {} | object("\($at).defaultConfiguration"; []; ["enabled", "level", "rank", "parameters"]),
		is("\($at).defaultConfiguration"; "level"; .level // "warning" | one_of(levels)));

def component($at):
	object($at; ["name"]; ["guid", "organization", "product", "productSuite", "shortDescription", "fullDescription",
		"fullName", "version", "semanticVersion", "dottedQuadFileVersion", "releaseDateUtc", "downloadUri",
		"informationUri", "globalMessageStrings", "notifications", "rules", "taxa", "locations", "language", "contents",
		"isComprehensive", "localizedDataSemanticVersion", "minimumRequiredLocalizedDataSemanticVersion",
		"associatedComponent", "translationMetadata", "supportedTaxonomies"]),
	text($at; "name"), text($at; "fullName"), text($at; "version"), uri($at; "informationUri"),
	is("\($at).rules"; "an id is there twice"; [.rules // [] | .[].id] | (unique | length) == length),
	(list($at; "rules") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | rule($at) end);

def invocation($at):
	object($at; ["executionSuccessful"]; ["commandLine", "arguments", "responseFiles", "startTimeUtc", "endTimeUtc",
		"exitCode", "ruleConfigurationOverrides", "notificationConfigurationOverrides", "toolExecutionNotifications",
		"toolConfigurationNotifications", "exitCodeDescription", "exitSignalName", "exitSignalNumber",
		"processStartFailureMessage", "machine", "account", "processId", "executableLocation", "workingDirectory",
		"environmentVariables", "stdin", "stdout", "stderr", "stdoutStderr"]),
	is($at; "executionSuccessful is neither true nor false"; .executionSuccessful | type == "boolean"),
	is($at; "exitCode is no number"; .exitCode // 0 | type == "number" and floor == .),
	time($at; "startTimeUtc"), time($at; "endTimeUtc"),
	is($at; "ends before it begins"; (.startTimeUtc // "") <= (.endTimeUtc // "Z"));

def logical($at):
	object($at; []; ["name", "index", "fullyQualifiedName", "decoratedName", "parentIndex", "kind"]),
	text($at; "fullyQualifiedName"), text($at; "kind");

def physical($at):
	object($at; []; ["address", "artifactLocation", "region", "contextRegion"]),
	is($at; "has neither artifactLocation nor address"; has("artifactLocation") or has("address")),
	is($at; "has a region of no artifact"; has("artifactLocation") or (has("region") or has("contextRegion") | not)),
	(.artifactLocation // {} | object("\($at).artifactLocation"; []; ["uri", "uriBaseId", "index", "description"]),
		uri("\($at).artifactLocation"; "uri")),
	(if has("region") then .region | object("\($at).region"; []; ["startLine", "startColumn", "endLine", "endColumn",
			"charOffset", "charLength", "byteOffset", "byteLength", "snippet", "message", "sourceLanguage"]),
		is("\($at).region"; "startLine is no line"; .startLine // 1 | type == "number" and . >= 1 and floor == .)
	else empty end);

def location($at):
	object($at; []; ["id", "physicalLocation", "logicalLocations", "message", "annotations", "relationships"]),
	(if has("physicalLocation") then .physicalLocation | physical("\($at).physicalLocation") else empty end),
	(list($at; "logicalLocations") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | logical($at) end);

def frame($at):
	object($at; []; ["location", "module", "threadId", "parameters"]),
	(if has("location") then .location | location("\($at).location") else empty end);

def stack($at):
	object($at; ["frames"]; ["message"]),
	(.message // {text: "none"} | message("\($at).message")),
	(list($at; "frames") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | frame($at) end);

def suppression($at):
	object($at; ["kind"]; ["guid", "status", "justification", "location"]),
	is($at; "kind"; .kind | one_of(["inSource", "external"])),
	is($at; "status"; .status // "accepted" | one_of(["accepted", "underReview", "rejected"])),
	text($at; "justification");

def result($at; $rules):
	object($at; ["message"]; ["ruleId", "ruleIndex", "rule", "kind", "level", "analysisTarget", "locations", "guid",
		"correlationGuid", "occurrenceCount", "partialFingerprints", "fingerprints", "stacks", "codeFlows", "graphs",
		"graphTraversals", "relatedLocations", "suppressions", "baselineState", "rank", "attachments",
		"hostedViewerUri", "workItemUris", "provenance", "fixes", "taxa", "webRequest", "webResponse"]),
	(.message // {} | message("\($at).message")),
	is($at; "level"; .level // "warning" | one_of(levels)),
	is($at; "kind"; .kind // "fail" | one_of(["notApplicable", "pass", "fail", "review", "open", "informational"])),
	is($at; "ruleIndex is not that of ruleId"; (has("ruleIndex") | not) or .ruleIndex == -1 or
		(.ruleIndex >= 0 and $rules[.ruleIndex].id == .ruleId)),
	is($at; "occurrenceCount is no count"; .occurrenceCount // 1 | type == "number" and . >= 1 and floor == .),
	is($at; "partialFingerprints are no texts"; .partialFingerprints // {} | type == "object" and all(.[]; type == "string")),
	(list($at; "locations") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | location($at) end),
	(list($at; "relatedLocations") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | location($at) end),
	(list($at; "stacks") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | stack($at) end),
	(list($at; "suppressions") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | suppression($at) end);

def run($at):
	object($at; ["tool"]; ["invocations", "conversion", "language", "versionControlProvenance", "originalUriBaseIds",
		"artifacts", "logicalLocations", "graphs", "results", "automationDetails", "runAggregates", "baselineGuid",
		"redactionTokens", "defaultEncoding", "defaultSourceLanguage", "newlineSequences", "columnKind",
		"externalPropertyFileReferences", "threadFlowLocations", "taxonomies", "addresses", "translations", "policies",
		"webRequests", "webResponses", "specialLocations"]),
	(.tool // {} | object("\($at).tool"; ["driver"]; ["extensions"]), (.driver // {} | component("\($at).tool.driver"))),
	(list($at; "invocations") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | invocation($at) end),
	(.tool.driver.rules? // []) as $rules |
	(list($at; "results") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | result($at; $rules) end);

object("log"; ["version", "runs"]; ["$schema", "inlineExternalProperties"]),
is("log"; "version"; .version == "2.1.0"),
uri("log"; "$schema"),
(list("log"; "runs") | if .complaint then "\(.at): \(.complaint)" else .at as $at | .it | run($at) end)
