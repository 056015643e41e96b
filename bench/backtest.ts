import { PLUGINS } from '../plugins/index.js';
import { Backtest } from '../src/authoring/index.js';
import {
  bindStructures,
  SILENT_LEDGER,
  buildFacts,
  decodeRequest,
  judgeStage,
  makersOf,
  parseJson,
  SNAPSHOT_VERSION,
  stageSnapshot,
  type CompiledPolicy,
} from '../src/core/index.js';
import { shippedPolicy } from './shipped-policy.js';
import { numberOption } from './options.js';

/**
 * Measures decisions per second of `weir backtest` on one core, from the text of the records to the report, with the
 * shipped production policy. It measures three sets of records: with few different sets of facts, as in real traffic;
 * half of them alike; all of them different.
 *
 * `npm run bench -- backtest [--records 20000]`
 */
const WANTED_PER_SECOND = 10_000;
const NOW_MS = Date.parse('2026-11-21T09:00:00Z');

/** One record as `weir events export` writes it. @param variety number of different kinds of records */
async function record(policy: CompiledPolicy, index: number, variety: number): Promise<string> {
  const kind = index % variety;
  const call = decodeRequest('openai.chat', parseJson('{"messages":[{"role":"user","content":"hello"}]}'));
  const built = buildFacts({
    context: {
      environment: 'production',
      declaredEnvironment: 'production',
      app: { id: 'a1', name: 'web' },
      key: { id: 'k1', name: 'ci' },
      provider: 'openai',
      model: 'gpt-4o',
      metadata: { team: `team-${kind % 9}` },
    },
    call,
    outcomes: [],
    structures: bindStructures(policy, PLUGINS),
    ledger: SILENT_LEDGER,
  });
  const found = Object.fromEntries(
    policy.detectors.map(({ key, codes }, place) => {
      const hit = (kind + place) % 5 === 0 && codes.length > 0;
      const code = codes[kind % Math.max(1, codes.length)] ?? '';
      const count = 1 + kind;
      return [
        key,
        hit
          ? { types: [code], count, score: 0.5 + (kind % 500) / 1_000, counts: { [code]: count } }
          : { types: [], count: 0, score: 0, counts: {} },
      ];
    }),
  );
  const facts = { ...built, ...found };
  const decision = await judgeStage(policy, { stage: 'pre', nowMs: NOW_MS, facts, clientMonitor: false });
  return JSON.stringify({
    id: `e${index}`,
    type: 'ai.request',
    environment: 'production',
    app: { id: 'a1', name: 'web' },
    key_id: 'k1',
    received_at: new Date(NOW_MS).toISOString(),
    metadata: { team: `team-${kind % 9}` },
    capture: 'redacted',
    policy: { id: policy.id, digest: 'd', version: 'v' },
    facts: {
      v: SNAPSHOT_VERSION,
      clock: new Date(NOW_MS).toISOString(),
      makers: makersOf(policy),
      stages: [stageSnapshot(policy, { stage: 'pre', facts, decision })],
    },
  });
}

async function measure(name: string, policy: CompiledPolicy, records: readonly string[]): Promise<boolean> {
  const test = new Backtest(policy, 'd');
  // CPU time, not elapsed time: the rate of one core, independent of other load on the machine.
  const before = process.cpuUsage();
  for (const line of records) await test.add(JSON.parse(line));
  const { user, system } = process.cpuUsage(before);
  const perSecond = records.length / ((user + system) / 1e6);
  const { decisions, unchanged, own } = test.report();
  if (unchanged !== decisions || own.notReproduced > 0) throw new Error('a record was read back differently');
  process.stdout.write(
    `${name.padEnd(34)}${Math.round(perSecond).toLocaleString('en').padStart(9)} decisions per second of one core\n`,
  );
  return perSecond >= WANTED_PER_SECOND;
}

/** @returns whether every figure reaches the promised rate */
async function benchBacktest(count: number): Promise<boolean> {
  const policy = shippedPolicy();
  process.stdout.write(`${count.toLocaleString('en')} records, ${policy.rules.length} rules, one core\n`);
  let fast = true;
  for (const [name, variety] of [
    ['alike, as traffic is (50 kinds)', 50],
    ['half of them alike', Math.ceil(count / 2)],
    ['every one different', count],
  ] as const) {
    const records: string[] = [];
    for (let index = 0; index < count; index++) records.push(await record(policy, index, variety));
    // The warm-up lets V8 compile the code before the measurement.
    await measure(`(warming up)`, policy, records.slice(0, 2_000));
    fast = (await measure(name, policy, records)) && fast;
  }
  return fast;
}

if (!(await benchBacktest(numberOption('records', 20_000)))) process.exitCode = 1;
