#!/usr/bin/env bash
# Runs SCENARIO, against the commit AGAINST if it is set, with GATES (one a line), GATE_UNCLEAR and BUDGET. Ends as pgsweep does: with 4 where a gate failed.
set -euo pipefail

safe=$(node "$GITHUB_ACTION_PATH/names.mjs" artifact "$SCENARIO")
run=$(mktemp -d "$RUNNER_TEMP/pgsweep-XXXXXX")/$safe
{
  echo "name=$safe"
  echo "run-folder=$run"
} >>"$GITHUB_OUTPUT"

options=(--out "$run")
# A shallow clone does not know where branches left each other.
[ -z "$AGAINST" ] || options+=(--against "$AGAINST" --tip)
while IFS= read -r gate; do
  [[ $gate =~ ^[[:space:]]*$ ]] || options+=(--gate "$gate")
done <<<"$GATES"
[ -z "$GATE_UNCLEAR" ] || options+=(--gate-unclear "$GATE_UNCLEAR")
[ -z "$BUDGET" ] || options+=(--budget "$BUDGET")

# What a service prints, or what a request is called, must not be taken for a command to the runner: it takes none until
# it sees this word. One stream, so that the word comes last.
word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$word"
code=0
pgsweep sweep "${options[@]}" -- "$SCENARIO" 2>&1 || code=$?
echo
echo "::$word::"
echo "exit-code=$code" >>"$GITHUB_OUTPUT"

is_unfit() {
  node -e 'process.exit(JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).session.verdict === "unfit" ? 0 : 1)' \
    "$run/summary.json" 2>/dev/null
}
# In an unfit session every gate is unclear.
if [ "$code" = 3 ] && [ "$GATE_UNCLEAR" = pass ] && is_unfit; then
  echo "::warning title=pgsweep::This machine was not fit to measure, so nothing is known of the gates: the summary says why."
  exit 0
fi
case $code in
  0) ;;
  2) echo "::error title=pgsweep::The scenario, or the service under test, has a mistake: the log says which." ;;
  3) echo "::error title=pgsweep::This machine was not fit to measure: the log says why." ;;
  4) echo "::error title=pgsweep::A gate failed: the summary says which, and why." ;;
  *) echo "::error title=pgsweep::pgsweep ended with exit code $code." ;;
esac
exit "$code"
