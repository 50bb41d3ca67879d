import { readProc } from '../../../base/process/read-proc.ts';
import { addedUp, inOrder, valuesIn, valuesOf } from '../counters.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbeKind } from '../probe.ts';
import type { Sample, Samples } from '../sampled-probe.ts';
import { machineProbe } from './machine-probe.ts';
import { readTcpCounters, type TcpCounts, tcpCounters } from './tcp-counters.ts';

const NAME = 'network';
const LOOPBACK = 'lo';

/** Counters alone: more samples than the first and the last are for the CSV file. */
const EVERY_MS = 5000;

/** Counts of a network interface since it came up. */
interface InterfaceCounters {
  readonly name: string;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

interface NetworkReading {
  readonly interfaces: readonly InterfaceCounters[];
  readonly tcp: TcpCounts;
}

/**
 * Bytes over loopback and over all other interfaces, TCP segments sent and sent again, of this network namespace:
 * `network_sent_bytes_per_s`, `tcp_retransmitted_share`, ... Load that comes from this machine goes over loopback.
 */
export const network: ProbeKind = {
  name: NAME,
  of: 'machine',
  byTurns: true,
  values: [
    ...[
      'loopback_bytes_per_s',
      'network_received_bytes_per_s',
      'network_sent_bytes_per_s',
      'network_utilisation_share',
    ],
    ...valuesIn(tcpCounters),
  ],
  open,
};

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (readInterfaces() === null) return { name: NAME, absent: 'this machine has no /proc/net/dev (not Linux)' };
  return machineProbe<NetworkReading>({
    name: NAME,
    everyMs: EVERY_MS,
    context,
    columns: ['interface', 'received_bytes', 'sent_bytes', ...Object.values(tcpCounters).map(({ column }) => column)],
    read: readNetwork,
    rows: ({ interfaces, tcp }) =>
      interfaces.map(({ name, receivedBytes, sentBytes }) => [
        ...[name, receivedBytes, sentBytes],
        ...inOrder(tcpCounters, tcp),
      ]),
    values: (samples, load) => networkValues(samples, load, interfaceSpeed),
  });
}

function readNetwork(): NetworkReading {
  const interfaces = readInterfaces();
  if (interfaces === null) throw new Error('/proc/net/dev is gone');
  return { interfaces, tcp: readTcpCounters() };
}

/** The values of a pass, the same for all its arms. `speedOf`: what an interface can carry, in bytes a second. */
export function networkValues(
  samples: Samples<NetworkReading>,
  { passMs }: Pick<LoadTimes, 'passMs'>,
  speedOf: (name: string) => number | null,
): Record<string, number> {
  const [first] = samples;
  const last: Sample<NetworkReading> = samples.at(-1) ?? first;
  const seconds = passMs / 1000;
  if (seconds <= 0) return {};
  const rates = last.value.interfaces.flatMap(({ name, receivedBytes, sentBytes }) => {
    const from = first.value.interfaces.find((one) => one.name === name);
    if (from === undefined) return [];
    const received = (receivedBytes - from.receivedBytes) / seconds;
    return [{ name, received, sent: (sentBytes - from.sentBytes) / seconds }];
  });
  const others = rates.filter(({ name }) => name !== LOOPBACK);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const used = others.flatMap(({ name, received, sent }) => {
    const speed = speedOf(name);
    return speed === null ? [] : [Math.max(received, sent) / speed];
  });
  return {
    // What comes in over loopback is what went out.
    loopback_bytes_per_s: sum(rates.flatMap(({ name, sent }) => (name === LOOPBACK ? [sent] : []))),
    network_received_bytes_per_s: sum(others.map(({ received }) => received)),
    network_sent_bytes_per_s: sum(others.map(({ sent }) => sent)),
    ...(used.length > 0 && { network_utilisation_share: Math.max(...used) }),
    ...tcpValues(addedUp(tcpCounters, [first.value.tcp, last.value.tcp]), seconds),
  };
}

function tcpValues(counts: TcpCounts, seconds: number): Record<string, number> {
  const { tcpSegments: sent } = counts;
  return valuesOf(tcpCounters, counts, { seconds, leastSent: sent === null ? null : Math.max(1, sent) });
}

/** Reads /proc/net/dev; null where there is none. */
function readInterfaces(): InterfaceCounters[] | null {
  const text = readProc('/proc/net/dev');
  return text === null ? null : parseInterfaces(text);
}

export function parseInterfaces(text: string): InterfaceCounters[] {
  // After two lines of heads: `name: ` and 16 numbers, of which the 1st are bytes received and the 9th bytes sent.
  return text.split('\n').flatMap((line) => {
    const [, name, numbers] = /^\s*([^\s:]+):\s*([\d\s]+)$/.exec(line) ?? [];
    const fields = numbers?.trim().split(/\s+/).map(Number) ?? [];
    return name === undefined ? [] : [{ name, receivedBytes: fields[0] ?? 0, sentBytes: fields[8] ?? 0 }];
  });
}

/** Speed of an interface, in bytes a second; null where it is not known, as for most virtual ones. */
function interfaceSpeed(name: string): number | null {
  const megabits = Number(readProc(`/sys/class/net/${name}/speed`) ?? Number.NaN);
  return megabits > 0 ? (megabits * 1e6) / 8 : null;
}
