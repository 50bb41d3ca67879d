#!/usr/bin/env bash
# Puts pgsweep on the PATH of the next steps: that of the project, as its lockfile has it, which `npm ci` has installed beside
# SCENARIO or in a folder above; or PACKAGE, which npm installs in a folder of its own: a file that `npm pack` has made, or a commit.
# Never a name with a version: pgsweep is not on npm, and anybody may publish under a name that is free.
set -euo pipefail

exact='^(file:.+|git\+https://[^#]+#[0-9a-f]{40}|github:[^#]+#[0-9a-f]{40})$'
if [ -n "$PACKAGE" ]; then
  if ! [[ $PACKAGE =~ $exact ]]; then
    echo "::error title=pgsweep::The input package is no file (file:pgsweep-0.1.0.tgz) and no commit (github:OWNER/REPOSITORY#40 digits)."
    exit 1
  fi
  folder="$RUNNER_TEMP/pgsweep"
  npm install --prefix "$folder" --no-audit --no-fund --no-package-lock "pgsweep@$PACKAGE"
  own="$folder/node_modules/pgsweep"
  # What it needs, as the lockfile of its commit has it, which the package brings. A folder that is linked has its own.
  if [ -f "$own/dist/lock.json" ] && [ ! -L "$own" ]; then
    cp "$own/dist/lock.json" "$own/package-lock.json"
    npm ci --prefix "$own" --omit=dev --ignore-scripts --no-audit --no-fund
  fi
  echo "$folder/node_modules/.bin" >>"$GITHUB_PATH"
  exit 0
fi
case $SCENARIO in /*) ;; *) SCENARIO=$PWD/$SCENARIO ;; esac
folder=$(dirname -- "$SCENARIO")
while [ "$folder" != / ]; do
  if [ -x "$folder/node_modules/.bin/pgsweep" ]; then
    echo "$folder/node_modules/.bin" >>"$GITHUB_PATH"
    exit 0
  fi
  folder=$(dirname -- "$folder")
done
if ! command -v pgsweep >/dev/null; then
  echo "::error title=pgsweep::There is no pgsweep in node_modules beside $SCENARIO or above it, and none on PATH. Add it to the devDependencies (npm install --save-dev ./vendor/pgsweep-0.1.0.tgz) and run npm ci first."
  exit 1
fi
