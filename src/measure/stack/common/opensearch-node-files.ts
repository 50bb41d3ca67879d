import { join } from 'node:path';
import type { Java } from '../embedded/find-java.ts';

/** Files of one node. */
export interface NodeFacts {
  /** The release in the cache; nothing is written there. */
  readonly home: string;
  /** Folder of this node alone: config, data, tmp. */
  readonly folder: string;
  readonly version: string;
  readonly java: Java;
  readonly heapMb: number;
  /** Tells this node from any other that answers. */
  readonly name: string;
  readonly port: number;
}

/** Folders that must be there before the node starts. */
export const nodeFolders = ['config', 'data', 'logs', 'tmp'] as const;

/** The files of the node's config folder, by name. */
export function nodeFiles({ folder, name, port }: NodeFacts): Readonly<Record<string, string>> {
  const settings = {
    'cluster.name': 'pgsweep',
    'node.name': name,
    'network.host': '127.0.0.1',
    'http.port': port,
    'transport.port': 0,
    'discovery.type': 'single-node',
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    // Else a disk that is 90 % full makes it refuse to write, though a run needs a few MB.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return { 'opensearch.yml': lines.join(''), 'log4j2.properties': logging };
}

const logging = `status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n%ex
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
`;

/**
 * Java's arguments: those of OpenSearch's own start script (config/jvm.options and bin/opensearch of the release),
 * without AlwaysPreTouch and the GC log, plus what each comment says.
 */
export function nodeArguments(facts: NodeFacts, asRoot: boolean): string[] {
  const { home, folder, java, heapMb } = facts;
  return [
    `-Xms${heapMb}m`,
    `-Xmx${heapMb}m`,
    `-XX:MaxDirectMemorySize=${Math.max(64, Math.round(heapMb / 2))}m`,
    '-XX:+UseG1GC',
    '-XX:G1ReservePercent=25',
    '-XX:InitiatingHeapOccupancyPercent=30',
    '-Xss1m',
    // Else Java keeps its counters in /tmp, under a name that everybody can foresee.
    '-XX:-UsePerfData',
    `-Djava.io.tmpdir=${join(folder, 'tmp')}`,
    '-Djava.awt.headless=true',
    '-Dfile.encoding=UTF-8',
    `-Djava.locale.providers=SPI,${java.major >= 21 ? 'CLDR' : 'COMPAT'}`,
    '-XX:-OmitStackTraceInFastThrow',
    `-XX:ErrorFile=${join(folder, 'logs', 'hs_err_pid%p.log')}`,
    '-Dopensearch.networkaddress.cache.ttl=60',
    '-Dopensearch.networkaddress.cache.negative.ttl=10',
    '-Dio.netty.noUnsafe=true',
    '-Dio.netty.noKeySetOptimization=true',
    '-Dio.netty.recycler.maxCapacityPerThread=0',
    '-Dio.netty.allocator.numDirectArenas=0',
    // Else log4j's own hook ends first, and the node takes 30 s to stop.
    '-Dlog4j.shutdownHookEnabled=false',
    '-Dlog4j2.disable.jmx=true',
    ...lineArguments(facts),
    ...(java.hasVectors ? ['--add-modules=jdk.incubator.vector'] : []),
    '-Djna.nosys=true',
    // OpenSearch refuses to run as root, and can tell only with JNA. What else JNA does (mlockall, a seccomp filter)
    // a node on loopback does not need.
    ...(asRoot ? ['-Djna.noclasspath=true'] : []),
    `-Dopensearch.path.home=${home}`,
    // Its own config folder, since the node writes a keystore there.
    `-Dopensearch.path.conf=${join(folder, 'config')}`,
    '-Dopensearch.distribution.type=zip',
    '-Dopensearch.bundled_jdk=false',
    '-cp',
    join(home, 'lib', '*'),
    'org.opensearch.bootstrap.OpenSearch',
  ];
}

function lineArguments({ home, version, java }: NodeFacts): string[] {
  if (!version.startsWith('2.')) {
    return [
      `-javaagent:${join(home, 'agent', 'opensearch-agent.jar')}`,
      '-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1',
    ];
  }
  return [
    '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory',
    ...(java.major >= 18 ? ['-Djava.security.manager=allow'] : []),
  ];
}
