#!/bin/bash
# As the official image's: variables whose names are settings (discovery.type) become settings of the node.
set -euo pipefail
home=/usr/share/opensearch
if [ "$(id -u)" = 0 ]; then
  chown -R 999:999 "$home/data" "$home/config" "$home/logs"
  exec setpriv --reuid=999 --regid=999 --clear-groups "$0" "$@"
fi
settings=()
while IFS= read -r -d '' variable; do
  if [[ ${variable%%=*} =~ ^[a-z]+(\.[a-z_]+)+$ ]]; then settings+=("-E$variable"); fi
done < <(env -0)
java_options=${OPENSEARCH_JAVA_OPTS:-}
# It compiles to the first tier alone: a node is ready after half of the CPU time.
# shellcheck disable=SC2086 # Options are meant to be split.
exec java -XX:TieredStopAtLevel=1 $java_options -XX:+UseG1GC -Djava.io.tmpdir=/tmp -Dfile.encoding=UTF-8 -Djava.locale.providers=SPI,COMPAT \
  -Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory \
  -Djava.security.manager=allow -Dio.netty.noUnsafe=true -Dlog4j.shutdownHookEnabled=false -Dlog4j2.disable.jmx=true \
  -Dopensearch.path.home="$home" -Dopensearch.path.conf="$home/config" -Dopensearch.distribution.type=zip \
  -Dopensearch.bundled_jdk=false -cp "$home/lib/*" org.opensearch.bootstrap.OpenSearch "${settings[@]}"
