#!/bin/bash
# Makes the cluster on the first start, then becomes the server, with the arguments given.
set -euo pipefail
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # Options are meant to be split.
  initdb --username="$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD") $POSTGRES_INITDB_ARGS
  echo 'host all all all md5' >>"$PGDATA/pg_hba.conf"
  libraries=pg_stat_monitor
  if [ -z "${PERCONA_TELEMETRY_DISABLE:-}" ]; then libraries+=,percona_pg_telemetry; fi
  echo "shared_preload_libraries = '$libraries'" >>"$PGDATA/postgresql.auto.conf"
fi
exec "$@"
