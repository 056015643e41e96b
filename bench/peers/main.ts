import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { describeMachine } from '../machine.js';
import { numberOption, option } from '../options.js';
import { start } from '../processes.js';
import { call } from './callers.js';
import { figuresOf, ratioOf, type Round } from './figures.js';
import { failsToGovern, type Gateway, type Unnamed } from './gateway.js';
import { DEFAULT_FOLDER, install, installedIn, type Installed } from './installed.js';
import { litellm, portkey } from './others.js';
import { passThrough, weir } from './own.js';
import { peersTable, type Contest, type PeersRun } from './table.js';

/**
 * Compares Weir with everything on with other gateways, each plain and with guardrails, and with a bare pass-through,
 * in one run: CPU time per call over all processes of a gateway, requests per second, latency and memory; for
 * concurrent and sequential chats, and for streams of 50 words. Gateways take turns in rounds with rotating order, with
 * a new text in every call. A wrong answer voids the gateway's figures, and a gateway that is set up to keep mail
 * addresses and credentials from the provider is checked for this before it is measured.
 *
 * Other gateways are not part of the project: `--install` installs pinned versions of them into a folder (from npm, and
 * from PyPI into an environment of `python3`). The output names those that are not installed.
 *
 * `npm run bench -- peers [--install] [--peers node_modules/.cache/peers] [--only Weir,Portkey] [--rounds 5] [--seconds
 * 4] [--warm-up 1000] [--connections 32] [--streams 16] [--database both] [--json <folder>]`; `WEIR_BENCH_PEERS` is
 * another way to set the folder of `--peers`.
 */
const ROUNDS = numberOption('rounds', 5);
const SECONDS = numberOption('seconds', 4);
const CONNECTIONS = numberOption('connections', 32);
const STREAMS = numberOption('streams', 16);
const DATABASE = option('database', 'both');
/** Prefixes of the names of gateways to measure, separated by commas. */
const ONLY = option('only', '').split(',');
const FOLDER = resolve(option('peers', process.env['WEIR_BENCH_PEERS'] ?? DEFAULT_FOLDER));
const JSON_FOLDER = option('json', '');
/** Warm-up calls of each kind: until Node.js has compiled the hot code, a call costs several times as much. */
const WARM_UP_CALLS = numberOption('warm-up', 1_000);
/** Limits of a warm-up. A slow gateway gets only the calls that it answers in this time, which the output reports. */
const WARM_UP = { callers: 8, seconds: 60 };

const KINDS: readonly Omit<Contest, 'rows' | 'ratios'>[] = [
  { name: `Chat, ${CONNECTIONS} at once`, streamed: false, callers: CONNECTIONS },
  { name: 'Chat, one after another', streamed: false, callers: 1 },
  { name: `Stream of 50 words, ${STREAMS} at once`, streamed: true, callers: STREAMS },
];

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

type Missing = PeersRun['missing'][number];

/** Gateways that this bench never measures. */
const LEFT_OUT: readonly Missing[] = [{ name: 'Bifrost', why: 'this bench neither installs nor starts it' }];

/** A gateway that may be measured. */
interface Candidate {
  readonly name: string;
  /** Starts the gateway; undefined if it is not installed. */
  readonly begin: (() => Promise<Unnamed>) | undefined;
}

function candidates({ portkey: portkeyThere, litellm: litellmThere }: Installed, upstream: string): Candidate[] {
  const ifThere = <T>(there: T | undefined, begin: (there: T) => Promise<Unnamed>): Candidate['begin'] =>
    there === undefined ? undefined : () => begin(there);
  const databases = (['embedded', 'postgresql'] as const).filter((name) => DATABASE === 'both' || DATABASE === name);
  return [
    { name: 'bare undici pass-through', begin: () => passThrough(upstream) },
    ...databases.map((database) => ({ name: `Weir, ${DATABASES[database]}`, begin: () => weir(upstream, database) })),
    ...[false, true].map((governs) => ({
      name: `Portkey, ${mode(governs)}`,
      begin: ifThere(portkeyThere, (there) => portkey(there, upstream, governs)),
    })),
    ...[false, true].map((governs) => ({
      name: `LiteLLM, ${mode(governs)}`,
      begin: ifThere(litellmThere, (there) => litellm(there, upstream, governs)),
    })),
  ].filter(({ name }, nth) => nth === 0 || ONLY.some((beginning) => name.startsWith(beginning)));
}

const DATABASES = { embedded: 'embedded database', postgresql: 'PostgreSQL' } as const;

const mode = (governs: boolean): string => (governs ? 'with guardrails' : 'plain');

/** Starts the installed gateways, and returns why the others are not measured. */
async function begun(upstream: string): Promise<{ gateways: Gateway[]; missing: Missing[] }> {
  const gateways: Gateway[] = [];
  const missing: Missing[] = [...LEFT_OUT];
  for (const { name, begin } of candidates(installedIn(FOLDER), upstream)) {
    if (begin === undefined) {
      missing.push({
        name,
        why: `it is not installed in ${option('peers', DEFAULT_FOLDER)} (npm run bench -- peers --install)`,
      });
      continue;
    }
    say(`starting ${name}`);
    const gateway = await begin().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      say(`${name}: ${message}`);
      missing.push({ name, why: `it did not start: ${message.split('\n')[0] ?? ''}` });
    });
    if (gateway === undefined) continue;
    const failure = gateway.governs
      ? await failsToGovern(gateway, upstream).catch(() => 'it does not answer')
      : undefined;
    if (failure === undefined) gateways.push({ ...gateway, name });
    else {
      missing.push({ name, why: `its guardrails do not work: ${failure}` });
      await gateway.stop();
    }
  }
  return { gateways, missing };
}

async function roundOf({ endpoint, tree }: Gateway, { streamed, callers }: (typeof KINDS)[number]): Promise<Round> {
  const before = tree.time();
  const called = await call(endpoint, streamed, callers, SECONDS);
  const after = tree.time();
  const calls = called.timesMs.length;
  const perCall = (key: 'main' | 'all'): number => ((after?.[key] ?? 0) - (before?.[key] ?? 0)) / calls;
  return {
    ...called,
    requestsPerSecond: calls / called.seconds,
    micros: after === undefined ? undefined : { main: perCall('main'), all: perCall('all') },
    memoryMib: tree.memoryMib(),
    processes: tree.processes().length,
  };
}

/** @returns the gateways that were too slow for all calls of the warm-up */
async function warmUp(gateways: readonly Gateway[], streamed: boolean): Promise<PeersRun['cold']> {
  const cold: PeersRun['cold'][number][] = [];
  for (const { name, endpoint } of gateways) {
    const endMs = performance.now() + WARM_UP.seconds * 1_000;
    let calls = 0;
    while (calls < WARM_UP_CALLS && performance.now() < endMs) {
      calls += (await call(endpoint, streamed, WARM_UP.callers, 1)).timesMs.length;
    }
    if (calls < WARM_UP_CALLS) cold.push({ name, streamed, calls });
  }
  return cold;
}

/** @param loads receives the load of the machine after each measurement */
async function contest(kind: (typeof KINDS)[number], gateways: readonly Gateway[], loads: number[]): Promise<Contest> {
  const rounds = new Map<Gateway, Round[]>(gateways.map((gateway) => [gateway, []]));
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    const first = nth % gateways.length;
    for (const gateway of [...gateways.slice(first), ...gateways.slice(0, first)]) {
      rounds.get(gateway)?.push(await roundOf(gateway, kind));
      loads.push(loadavg()[0] ?? Number.NaN);
    }
    say(`${kind.name}: round ${nth + 1} of ${ROUNDS}`);
  }
  const all = [...rounds].map(([{ name }, of]) => ({ name, of, figures: figuresOf(name, of) }));
  const right = all.filter(({ figures }) => !('void' in figures));
  const ratios = right
    .filter(({ name }) => name.startsWith('Weir'))
    .map(({ name, of }) => {
      const others = right.filter((other) => !other.name.startsWith('Weir'));
      return [name, others.map((other) => ratioOf(other.name, of, other.of))] as const;
    });
  return { ...kind, rows: all.map(({ figures }) => figures), ratios: Object.fromEntries(ratios) };
}

if (process.argv.includes('--install')) install(FOLDER);
const upstream = await start('dist/bench/programs/reference-upstream.js', {}, '/');
const { gateways, missing } = await begun(upstream.url);
try {
  const contests: Contest[] = [];
  const cold: PeersRun['cold'][number][] = [];
  const loads = [loadavg()[0] ?? Number.NaN];
  for (const [nth, kind] of KINDS.entries()) {
    if (kind.streamed !== KINDS[nth - 1]?.streamed) cold.push(...(await warmUp(gateways, kind.streamed)));
    contests.push(await contest(kind, gateways, loads));
  }
  const run: PeersRun = {
    at: new Date().toISOString(),
    machine: describeMachine(),
    load: { least: Math.min(...loads), most: Math.max(...loads) },
    settings: { rounds: ROUNDS, seconds: SECONDS, warmUpCalls: WARM_UP_CALLS },
    gateways: gateways.map(({ name, version, does }) => ({ name, version, does })),
    missing,
    cold,
    contests,
  };
  process.stdout.write(`${peersTable(run).join('\n')}\n`);
  if (JSON_FOLDER !== '') {
    mkdirSync(JSON_FOLDER, { recursive: true });
    writeFileSync(join(JSON_FOLDER, 'peers.json'), `${JSON.stringify(run, null, 2)}\n`);
  }
} finally {
  await Promise.all([...gateways, upstream].map((program) => program.stop()));
}
