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
  backtest: { summary: 'speed of re-evaluating recorded decisions', run: () => import('./backtest.js') },
  batch: { summary: 'cost of an event in a batch, compared with COPY', run: () => import('./batch.js') },
  budgets: { summary: 'rate of reservations and settlements', run: () => import('./budgets.js') },
  conversation: { summary: 'cost of judging a growing conversation', run: () => import('./conversation.js') },
  dashboard: { summary: 'size and speed of the dashboard', run: () => import('./dashboard.js') },
  detectors: { summary: 'speed of the detectors and of other tools', run: () => import('./detectors/compare.js') },
  export: { summary: 'memory and CPU time of large exports', run: () => import('./export.js') },
  faults: { summary: 'effect of faults on callers', run: () => import('./faults.js') },
  gate: { summary: 'cost of a call, compared with another commit', run: () => import('./gate.js') },
  held: { summary: 'share of a streamed answer that is held back', run: () => import('./held.js') },
  'hostile-key': { summary: 'effect of a hostile key on a normal one', run: () => import('./hostile-key.js') },
  'large-texts': { summary: 'effect of calls of megabytes on small calls', run: () => import('./large-texts.js') },
  linear: { summary: 'growth of time with the size of each list and map', run: () => import('./linear.js') },
  'noisy-key': { summary: 'effect of a noisy key on the other keys', run: () => import('./noisy-key.js') },
  overload: { summary: 'completed calls at three times the capacity', run: () => import('./overload.js') },
  peers: { summary: 'Weir, compared with other gateways', run: () => import('./peers/main.js') },
  policy: { summary: 'duration of the policy commands', run: () => import('./policy.js') },
  'policy-commands': { summary: 'cost of policy commands for 200 rules', run: () => import('./policy-commands.js') },
  archive: { summary: 'cost of archiving and searching a week of events', run: () => import('./archive.js') },
  retention: { summary: 'effect of the deletion of a week of events on callers', run: () => import('./retention.js') },
  rules: { summary: 'cost of judging by the number of rules', run: () => import('./rules.js') },
  sdk: { summary: 'cost of the SDKs in the process that uses them', run: () => import('./sdk.js') },
  search: { summary: 'speed of searches for events, and of ingestion meanwhile', run: () => import('./search.js') },
  soak: { summary: 'memory, handles and latency over an hour', run: () => import('./soak.js') },
  start: { summary: 'start time of the service, and its memory when idle', run: () => import('./start-up.js') },
  streams: { summary: 'delay of streamed events', run: () => import('./streams.js') },
  telemetry: {
    summary: 'cost of a call with and without an OpenTelemetry collector',
    run: () => import('./telemetry.js'),
  },
  timings: { summary: 'whether response times reveal known credentials', run: () => import('./timings.js') },
};

const help = (): string =>
  [
    'npm run bench -- <name> [options]',
    '',
    ...Object.entries(BENCHES).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`),
    '',
    'The first comment of each file in bench/ describes its options.',
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
