#!/usr/bin/env bash
# Has npm install pgsweep in a folder of its own, and puts it on the PATH of the next steps. VERSION: what stands behind
# the @ of npm, a version or a file that `npm pack` has made; empty where pgsweep is on PATH already.
set -euo pipefail

if [ -n "$VERSION" ]; then
  folder="$RUNNER_TEMP/pgsweep"
  npm install --prefix "$folder" --no-audit --no-fund --no-package-lock "pgsweep@$VERSION"
  echo "$folder/node_modules/.bin" >>"$GITHUB_PATH"
elif ! command -v pgsweep >/dev/null; then
  echo "::error title=pgsweep::There is no pgsweep on PATH, and the input version is empty."
  exit 1
fi
