# SPDX-License-Identifier: GPL-2.0-only
# Holds verdicts of `ibwhy --json` (standard input) against truths ($truths: lines of first_causes).
# $open: causes that may remain undetermined, joined by ' '; "all": each.
# Prints "right CAUSE N", "undetermined CAUSE N", and "WRONG ..." with the verdict for each that is wrong.
def text: [.steps[] | .text, (.evidence // "")] | join("\n");
def name: "\(.failure.dev) \(.failure.object) \(.failure.num) of \(.failure.pid)";

# Is it this failure that the truth is about? Programs do not know the number of a CQ.
def is_of($t): .failure.dev == $t.dev and .failure.object == $t.object and .failure.pid == $t.pid
	and ($t.object == "cq" or .failure.num == $t.num);

def judge($t):
	if .cause == $t.cause then
		text as $text | [$t.says | split("|")[] | select(. as $word | $text | contains($word) | not)]
		| if length == 0 then "right" else "wrong: the verdict does not name: \(join(", "))" end
	elif .cause != "undetermined" then "wrong: \(.cause)"
	elif (.missing | length) == 0 then "wrong: undetermined, and no evidence is missing"
	elif (.candidates | length) > 0 and (.candidates | index($t.cause) | not) then
		"wrong: the cause is not among those that it may be: \(.candidates | join(", "))"
	elif $open == "all" or ($open | split(" ") | index($t.cause)) then "undetermined"
	else "wrong: undetermined; missing: \(.missing | join("; "))" end;

. as $verdicts
| [$truths[] as $t | [$verdicts[] | select(is_of($t))] as $found
	| if ($found | length) != 1 then { $t, verdict: "wrong: \($found | length) failures of \($t.dev) \($t.object) \($t.num)" }
	  else { $t, of: $found[0], verdict: ($found[0] | judge($t)) } end] as $results
| ([$verdicts[] | select(. as $v | any($truths[]; . as $t | $v | is_of($t)) | not)
	| "WRONG: nothing else should fail: \(name): \(.cause)"]
   + [$results[] | select(.verdict | startswith("wrong"))
	| "WRONG: \(.t.run) of seed \(.t.seed): \(.verdict | ltrimstr("wrong: "))", (.of // {} | "  \(name)", (.steps // [] | .[] | "    \(.text) [\(.evidence // "")]"), (.missing // [] | .[] | "    missing: \(.)"))]
   + [$results | group_by([.t.run, .verdict])[] | select(.[0].verdict | startswith("wrong") | not) | "\(.[0].verdict) \(.[0].t.run) \(length)"])[]
