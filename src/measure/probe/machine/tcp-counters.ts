import { readProc } from '../../../base/process/read-proc.ts';
import { openProcDescriptor } from './proc-descriptor.ts';

/** Counts of TCP in this network namespace since it began; null where it has none. */
export interface TcpCounters {
  readonly segments: number | null;
  readonly retransmits: number | null;
  /** Connections that a listener dropped since its queue was full. */
  readonly listenOverflows: number | null;
}

export function readTcpCounters(): TcpCounters {
  return parseTcpCounters(readProc('/proc/net/snmp') ?? '', readProc('/proc/net/netstat') ?? '');
}

/** For readings between turns, which must not take long: the files stay open for as long as the process lives. */
export function openTcpReader(): { read(): TcpCounters } {
  const [snmp, netstat] = [openProcDescriptor('/proc/net/snmp'), openProcDescriptor('/proc/net/netstat')];
  return { read: () => parseTcpCounters(snmp?.read() ?? '', netstat?.read() ?? '') };
}

export function parseTcpCounters(snmp: string, netstat: string): TcpCounters {
  return {
    segments: counter(snmp, 'Tcp', 'OutSegs'),
    retransmits: counter(snmp, 'Tcp', 'RetransSegs'),
    listenOverflows: counter(netstat, 'TcpExt', 'ListenOverflows'),
  };
}

/** Both files are pairs of lines: `Tcp: names...`, `Tcp: values...`. */
function counter(text: string, group: string, name: string): number | null {
  const [names, values] = text
    .split('\n')
    .filter((line) => line.startsWith(`${group}: `))
    .map((line) => line.split(' '));
  const value = values?.[names?.indexOf(name) ?? -1];
  return value === undefined ? null : Number(value);
}
