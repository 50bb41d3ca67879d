#!/usr/bin/env bash
# Adds the report of RUN_FOLDER to the step summary, and names in the output `file` what the comment is to say. Its first
# line is the mark by which a later run finds the comment.
set -euo pipefail

report=$RUN_FOLDER/report.md
text=${RUN_FOLDER%/*}/comment.md
if [ -s "$report" ]; then
  cat "$report" >"$text"
else
  # Like the mark of a report: a name must not end it.
  mark=$(printf %s "$SCENARIO_NAME" | sed -e 's/[^A-Za-z0-9 ._=,-]/_/g' -e 's/--*/-/g' -e 's/-$/_/')
  printf '<!-- pgsweep:report %s -->\n\n' "$mark" >"$text"
  echo "**pgsweep** has no report: it ended with exit code ${EXIT_CODE:-none}, and the log of the job says why." >>"$text"
fi
run_url=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
printf '\n[Log](%s)' "$run_url" >>"$text"
[ -z "$ARTIFACT_URL" ] || printf ' · [run folder](%s), with report.html, charts and the journal' "$ARTIFACT_URL" >>"$text"
echo >>"$text"

# GitHub takes 1 MiB a step and drops what is larger; a report is far smaller.
head -c 1000000 "$text" >>"$GITHUB_STEP_SUMMARY"
echo "file=$text" >>"$GITHUB_OUTPUT"
