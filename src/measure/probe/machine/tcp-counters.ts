import { readProc } from '../../../base/process/read-proc.ts';
import type { TcpName } from '../../../journal/pass-records.ts';
import { type Counter, type CounterTable, type Counts, eachRow } from '../counters.ts';
import { openProcDescriptor } from './proc-descriptor.ts';

/** A counter of TCP, the samples' column, and its place in /proc/net. */
interface TcpCounter extends Counter {
  readonly column: string;
  readonly at: readonly [file: 'snmp' | 'netstat', group: string, name: string];
}

/** Counters of TCP in this network namespace since it began; null where it has none. */
export const tcpCounters: CounterTable<TcpName, TcpCounter> = {
  tcpSegments: {
    column: 'tcp_segments',
    at: ['snmp', 'Tcp', 'OutSegs'],
    value: 'tcp_segments_per_s',
    per: 'seconds',
  },
  tcpRetransmits: {
    column: 'tcp_retransmits',
    at: ['snmp', 'Tcp', 'RetransSegs'],
    value: 'tcp_retransmitted_share',
    per: 'leastSent',
  },
  listenOverflows: {
    column: 'listen_overflows',
    at: ['netstat', 'TcpExt', 'ListenOverflows'],
    value: 'listen_overflows_per_s',
    per: 'seconds',
  },
};

export type TcpCounts = Counts<TcpName>;

export function readTcpCounters(): TcpCounts {
  return parseTcpCounters(readProc('/proc/net/snmp') ?? '', readProc('/proc/net/netstat') ?? '');
}

/** For readings between turns, which must not take long: the files stay open for as long as the process lives. */
export function openTcpReader(): { read(): TcpCounts } {
  const [snmp, netstat] = [openProcDescriptor('/proc/net/snmp'), openProcDescriptor('/proc/net/netstat')];
  return { read: () => parseTcpCounters(snmp?.read() ?? '', netstat?.read() ?? '') };
}

export function parseTcpCounters(snmp: string, netstat: string): TcpCounts {
  const texts = { snmp, netstat };
  return eachRow(tcpCounters, ({ at: [file, group, name] }) => counter(texts[file], group, name));
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
