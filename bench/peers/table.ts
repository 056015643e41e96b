/** The figures of `npm run bench -- peers` as Markdown. */
import type { Machine } from '../machine.js';
import type { Figures, Ratio, Spread, Void } from './figures.js';

/** Results of all gateways for one kind of call. */
export interface Contest {
  readonly name: string;
  readonly streamed: boolean;
  readonly callers: number;
  readonly rows: readonly (Figures | Void)[];
  /** Ratios of each variant of Weir to each other gateway, by the name of the variant. */
  readonly ratios: Readonly<Record<string, readonly Ratio[]>>;
}

/** One run of the bench with a description of the machine. */
export interface PeersRun {
  /** Time of its end, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
  /** Minimum and maximum of the one-minute load average of the machine during the run. */
  readonly load: { readonly least: number; readonly most: number };
  readonly settings: { readonly rounds: number; readonly seconds: number; readonly warmUpCalls: number };
  /** The measured gateways, with a description of each. */
  readonly gateways: readonly { readonly name: string; readonly version: string; readonly does: string }[];
  /** The gateways that were not measured, with reasons. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  /** Gateways that were too slow for all calls of the warm-up, with the number of calls that they answered. */
  readonly cold: readonly { readonly name: string; readonly streamed: boolean; readonly calls: number }[];
  readonly contests: readonly Contest[];
}

/** @returns lines: a table and ratios for each contest, what each gateway does, what is missing, and the machine */
export function peersTable({ at, machine, load, settings, gateways, missing, cold, contests }: PeersRun): string[] {
  return [
    ...contests.flatMap(contestLines),
    'What each does with a call:',
    '',
    ...gateways.map(({ name, version, does }) => `- ${name} (${version}): ${does}.`),
    ...missing.map(({ name, why }) => `- ${name}: not measured, ${why}.`),
    ...cold.map(({ name, streamed, calls }) => {
      const kind = streamed ? 'streams' : 'chats';
      return `- ${name}: had only ${calls} of ${settings.warmUpCalls} ${kind} to warm up, and may be faster than its figures.`;
    }),
    '',
    `${settings.rounds} rounds of ${settings.seconds} s in turn, a new text with each call, every answer checked; medians of the rounds with the least and the`,
    'most of them, latencies of all calls together. µs of CPU time with every process that belongs to the gateway, the',
    `database's too. ${machine.processors} processors (${machine.processor}), which also carried callers and provider, load ${load.least.toFixed(1)} to ${load.most.toFixed(1)},`,
    `Node ${machine.node}; the disk flushes 4 kB in ${machine.flushMs.p50} ms (p99 ${machine.flushMs.p99}); ${at.slice(0, 10)}.`,
  ];
}

function contestLines({ name, streamed, rows, ratios }: Contest): string[] {
  const first = streamed ? ['first byte p50 ms'] : [];
  const head = ['', 'µs per call', 'main thread', 'requests/s', ...first, 'p50 ms', 'p99 ms', 'p99.9 ms'];
  const all = [...head, 'MiB', 'processes', 'calls'];
  return [
    `**${name}**`,
    '',
    lineOf(all),
    lineOf(all.map(() => '---')),
    ...rows.map((row) => lineOf('void' in row ? [row.name, `void: ${row.void}`] : cellsOf(row, streamed))),
    '',
    ...ratioLines(ratios),
  ];
}

function cellsOf(row: Figures, streamed: boolean): string[] {
  return [
    row.name,
    spread(row.microsAll, 0),
    spread(row.microsMain, 0),
    spread(row.requestsPerSecond, 0),
    ...(streamed ? [row.firstP50Ms.toFixed(1)] : []),
    row.p50Ms.toFixed(1),
    row.p99Ms?.toFixed(1) ?? '',
    row.p999Ms?.toFixed(1) ?? '',
    String(row.memoryMib ?? ''),
    String(row.processes),
    String(row.calls),
  ];
}

/** Table of ratios; empty if no other gateway was measured. */
function ratioLines(ratios: Contest['ratios']): string[] {
  const own = Object.keys(ratios);
  const peers = [...new Set(Object.values(ratios).flatMap((of) => of.map(({ peer }) => peer)))];
  if (peers.length === 0) return [];
  const head = ['', ...own.flatMap((name) => [`${name}: µs per call`, 'requests/s'])];
  return [
    lineOf(head),
    lineOf(head.map(() => '---')),
    ...peers.map((peer) =>
      lineOf([
        `to ${peer}`,
        ...own.flatMap((name) => {
          const ratio = ratios[name]?.find((each) => each.peer === peer);
          return [spread(ratio?.micros, 2), spread(ratio?.requestsPerSecond, 2)];
        }),
      ]),
    ),
    '',
  ];
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A spread such as `12 (10 to 15)`; empty if it is undefined. */
function spread(of: Spread | undefined, digits: number): string {
  if (of === undefined) return '';
  const [middle, least, most] = [of.median, of.least, of.most].map((value) => value.toFixed(digits));
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}
