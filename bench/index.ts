/**
 * `npm run bench -- <name> [options]`: each bench is a file of this folder. The first comment of the file describes
 * what it measures, its options, and when it exits with 1. Without a name it measures the service.
 */
interface Bench {
  /** Description in one line for `--help`. */
  readonly summary: string;
  readonly run: () => Promise<unknown>;
}

const SERVICE = 'service';

const BENCHES: Readonly<Record<string, Bench>> = {
  [SERVICE]: { summary: 'cost and latency of events and proxied calls (the default)', run: () => import('./main.js') },
  backtest: { summary: 'judging of recorded decisions', run: () => import('./backtest.js') },
  batch: { summary: 'an event of a batch, beside COPY of the same rows', run: () => import('./batch.js') },
  budgets: { summary: 'reservations and settlements', run: () => import('./budgets.js') },
  conversation: { summary: 'a growing conversation', run: () => import('./conversation.js') },
  dashboard: { summary: 'weight and speed of the dashboard', run: () => import('./dashboard.js') },
  detectors: { summary: 'detectors beside other libraries', run: () => import('./detectors/compare.js') },
  export: { summary: 'large exports', run: () => import('./export.js') },
  faults: { summary: 'callers while something fails', run: () => import('./faults.js') },
  gate: { summary: 'a call against the same call at another commit', run: () => import('./gate.js') },
  held: { summary: 'the held back part of a streamed answer', run: () => import('./held.js') },
  'hostile-key': { summary: 'a polite key beside a hostile one', run: () => import('./hostile-key.js') },
  'large-texts': { summary: 'small calls beside calls of megabytes', run: () => import('./large-texts.js') },
  linear: { summary: 'growth of time with the size of each list and map', run: () => import('./linear.js') },
  'noisy-key': { summary: 'quiet keys beside a noisy one', run: () => import('./noisy-key.js') },
  overload: { summary: 'goodput at three times the capacity', run: () => import('./overload.js') },
  peers: { summary: 'Weir beside other gateways', run: () => import('./peers/main.js') },
  policy: { summary: 'commands on one policy', run: () => import('./policy.js') },
  'policy-commands': { summary: 'commands on 200 rules', run: () => import('./policy-commands.js') },
  archive: { summary: 'a week of events into the archive, and searches over it', run: () => import('./archive.js') },
  retention: { summary: 'callers while a week of events is removed', run: () => import('./retention.js') },
  rules: { summary: 'judging by the number of rules', run: () => import('./rules.js') },
  sdk: { summary: 'the SDKs in the process that uses them', run: () => import('./sdk.js') },
  search: { summary: 'searching events, and ingestion meanwhile', run: () => import('./search.js') },
  soak: { summary: 'memory, handles and latency over an hour', run: () => import('./soak.js') },
  start: { summary: 'a start of the service, and its memory at rest', run: () => import('./start-up.js') },
  streams: { summary: 'delay of streamed events', run: () => import('./streams.js') },
  telemetry: {
    summary: 'a call with an OpenTelemetry collector, beside one without',
    run: () => import('./telemetry.js'),
  },
  timings: { summary: 'whether times tell a known credential from an unknown one', run: () => import('./timings.js') },
};

const help = (): string =>
  [
    'npm run bench -- <name> [options]',
    '',
    ...Object.entries(BENCHES).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`),
    '',
    'Options stand in the first comment of each file in bench/.',
    '',
  ].join('\n');

const [first] = process.argv.slice(2);
const name = first === undefined || (first.startsWith('--') && first !== '--help') ? SERVICE : first;
const bench = BENCHES[name];
if (process.argv.includes('--help')) {
  process.stdout.write(help());
} else if (bench === undefined) {
  process.stderr.write(`There is no bench "${name}".\n\n${help()}`);
  process.exitCode = 2;
} else {
  await bench.run();
}
