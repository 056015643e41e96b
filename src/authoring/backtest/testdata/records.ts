import { NOW_MS } from '../../../core/decision/testdata/judge.js';
import { evaluate } from '../../../core/decision/evaluate.js';
import type { CompiledPolicy } from '../../../core/model/compiled-policy.js';
import type { FactSet, Stage } from '../../../core/model/fact.js';
import { DETECTORS, head } from '../../../core/policy/testdata/sample-policy.js';
import { makersOf, stageSnapshot } from '../../../core/stored/fact-snapshot.js';
import { SNAPSHOT_VERSION } from '../../../core/stored/recorded-decision.js';
import { Backtest } from '../backtest.js';

const DIGESTS = new WeakMap<CompiledPolicy, string>();
let made = 0;
function digestOf(policy: CompiledPolicy): string {
  const digest = DIGESTS.get(policy) ?? `digest-${++made}`;
  DIGESTS.set(policy, digest);
  return digest;
}

export interface Call {
  readonly stage: Stage;
  readonly facts: FactSet;
  /** The metadata as logged, masked. */
  readonly metadata: Record<string, unknown>;
  readonly clientMonitor?: boolean;
}

/** The event as it would be logged. */
export async function recorded(policy: CompiledPolicy, { stage, facts, metadata, clientMonitor = false }: Call) {
  const decision = await evaluate(policy, { stage, nowMs: NOW_MS, facts, clientMonitor });
  const event: unknown = {
    id: 'e1',
    type: 'ai.request',
    environment: 'staging',
    app: { id: 'a1', name: 'web' },
    key_id: 'k1',
    received_at: new Date(NOW_MS).toISOString(),
    policy: { digest: digestOf(policy) },
    capture: 'redacted',
    metadata,
    session_id: null,
    facts: {
      v: SNAPSHOT_VERSION,
      clock: new Date(NOW_MS).toISOString(),
      ...(clientMonitor ? { client_monitor: true } : {}),
      makers: makersOf(policy),
      stages: [stageSnapshot(policy, { stage, facts, decision })],
    },
  };
  return { event: JSON.parse(JSON.stringify(event)) as { facts: { stages: object[] } }, decision };
}

export async function backtest(policy: CompiledPolicy, events: readonly unknown[]) {
  const test = new Backtest(policy, digestOf(policy));
  for (const event of events) await test.add(event);
  return test.report();
}

export interface RuleText {
  readonly when: string;
  readonly then: string;
  readonly onUnknown: string;
}

/** A policy of up to three rules, optionally with an exception for the first. */
export function policyText(stage: Stage, rules: readonly RuleText[], exception?: string): string {
  const written = rules.map(
    ({ when, then, onUnknown }, index) => `
  - id: r${index}
    stage: ${stage}
    when: ${when}
    then: ${then}
    on_unknown: ${onUnknown}`,
  );
  const excepted =
    exception === undefined
      ? ''
      : `
exceptions:
  - id: EX-1
    rules: [r0]
    when: ${exception}
    effect: skip
    because: It is agreed
    approved_by: dpo@acme.example
    ticket: T-1
    expires: 2027-01-01T00:00:00Z
`;
  return `${head('', 'staging')}${DETECTORS}rules:${written.join('')}${excepted}\n`;
}
