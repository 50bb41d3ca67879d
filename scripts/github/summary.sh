#!/usr/bin/env bash
# Adds the report of RUN_FOLDER to the step summary, and names in the output `file` the comment: its first screen. The first
# line is the mark by which a later run finds the comment. RUN_FOLDER is empty where pgsweep could not even be installed.
set -euo pipefail

report=$RUN_FOLDER/report.md
text=$(mktemp -d "$RUNNER_TEMP/pgsweep-comment-XXXXXX")/comment.md
node "$GITHUB_ACTION_PATH/names.mjs" mark "$SCENARIO" >"$text"
if [ -n "$RUN_FOLDER" ] && [ -s "$report" ]; then
  # The report's own mark does not know the folder of the scenario.
  sed '1{/^<!-- pgsweep:report /d;}' "$report" >>"$text"
else
  echo >>"$text"
  end="it ended with exit code $EXIT_CODE"
  [ -n "$EXIT_CODE" ] || end="it did not start"
  echo "**pgsweep** has no report: $end, and the log of the job says why." >>"$text"
fi
run_url=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
printf '\n[Log](%s)' "$run_url" >>"$text"
[ -z "$ARTIFACT_URL" ] || printf ' · [run folder](%s), with report.html, charts and the journal' "$ARTIFACT_URL" >>"$text"
echo >>"$text"

comment=${text%.md}-first.md
{
  awk '/^<details>/ { exit } { print }' "$text"
  # What is folded ends the report, so its links are behind that.
  ! grep -q '^<details>' "$text" || tail -n 1 "$text"
} >"$comment"
# GitHub takes 1 MiB a step and drops what is larger; a report is far smaller.
head -c 1000000 "$text" >>"$GITHUB_STEP_SUMMARY"
echo "file=$comment" >>"$GITHUB_OUTPUT"
