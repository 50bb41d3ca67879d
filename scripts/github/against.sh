#!/usr/bin/env bash
# Names in the output `ref` what AGAINST stands for in the repository of SCENARIO. `base` is the first parent of the merge that
# GitHub makes of a pull request. A shallow clone lacks it, and other branches: they are fetched, a commit each.
set -euo pipefail

folder=$(dirname -- "$SCENARIO")
[ -d "$folder" ] || folder=.
own() { git -C "$folder" "$@"; }

# The token is in the environment of this one command, since checkout keeps none.
fetch() {
  local login
  login=$(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 | tr -d '\n')
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$GITHUB_SERVER_URL/.extraheader" \
    GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $login" own fetch --quiet --no-tags --depth=1 origin "$1"
}

if [ "$AGAINST" = base ]; then
  # A shallow clone hides the parents of its last commit, and still has their names.
  wanted=$(own cat-file commit HEAD | sed -n -e '/^$/q' -e 's/^parent //p')
  if [ "$(wc -w <<<"$wanted")" -lt 2 ]; then
    echo "::error title=pgsweep::against: base needs the merge of a pull request, and HEAD is none. Run on: pull_request, with the ref that actions/checkout takes by itself."
    exit 1
  fi
  wanted=${wanted%%$'\n'*}
  own cat-file -e "$wanted^{commit}" 2>/dev/null || fetch "$wanted"
  own update-ref refs/base "$wanted"
elif ! own rev-parse --verify --quiet --end-of-options "$AGAINST^{commit}" >/dev/null; then
  fetch "+$AGAINST:refs/remotes/origin/$AGAINST"
fi
echo "ref=$AGAINST" >>"$GITHUB_OUTPUT"
