#!/bin/sh
# Loads a whole Ed-Fi data set into a document service and says how long it took; the twin of BulkLoad-Performance.ps1.
#
#   scripts/bulk-load-performance.sh
#   scripts/bulk-load-performance.sh --template GrandBend --update --rounds 3
#   scripts/bulk-load-performance.sh --variant "Pool 25 conn" --out results/pool-25
#   scripts/bulk-load-performance.sh --base-url http://127.0.0.1:3000
#
# All options are those of `pgsweep bulk-load`: see --help. Its exit code is passed on.

repository=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1
exec node "$repository/src/cli/bin.mjs" bulk-load "$@"
