import { bindDetectors, type BoundDetector } from '../../core/detection/bind.js';
import { wholeCatalog, type PluginCatalog } from '../../core/detection/catalog.js';
import { NOTHING_USED } from '../../core/detection/ledger.js';
import { runScan } from '../../core/detection/run-scan.js';
import type { CallContext } from '../../core/facts/build-facts.js';
import { readCall, scanCall, type CallReading, type CallToJudge, type JudgeHost } from '../../core/judge/index.js';
import type { DecodedCall, JsonValue } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { Unknown, type FactSet, type FactValue, type Stage } from '../../core/model/fact.js';
import type { DetectorOutcome } from '../../core/model/finding.js';
import { parseAnnotations } from './annotations.js';
import type { TestCall } from './build-call.js';
import type { TestCase } from './read-suite.js';
import type { DetectorMode, Readings } from './readings.js';
import { sessionOf } from './session-steps.js';
import { looks, stubDetectors } from './test-detectors.js';
import { testHash } from './test-hash.js';
import { memoizeByObject } from '../../core/model/memoize.js';

export interface GatheredFacts {
  /** The call in the format of the judge. */
  readonly toJudge: CallToJudge;
  /** Scans texts with the test's detectors. */
  readonly scan: JudgeHost['scan'];
  /** The results of detectors and plugins for the call: equal for every version of a policy with these detectors. */
  readonly reading: CallReading;
  /** Detector outcomes for the preceding request, at stage `tool`. */
  readonly requestOutcomes: readonly DetectorOutcome[];
}

export interface GatherInput {
  readonly test: TestCase;
  readonly call: TestCall;
  readonly stage: Stage;
  readonly policy: CompiledPolicy;
  readonly plugins: PluginCatalog;
  readonly mode: DetectorMode;
  readonly readings: Readings;
}

/** In tests the clock does not run, so scans never time out. */
export const NO_LIMITS = { nowMs: () => 0, deadlineMs: Number.POSITIVE_INFINITY };

/**
 * Reads a test's call like the server; the test's `facts` override those of the call. Budgets are unused; context facts that the test
 * does not set are absent.
 */
export async function gatherFacts(input: GatherInput): Promise<GatheredFacts> {
  const { call, policy, readings, mode } = input;
  const reading = readings.of(policy);
  const detectors = await detectorsOf(input);
  const scan: JudgeHost['scan'] = (asked, segments, neighbours) =>
    reading.outcomes(segments, mode, () => runScan(asked, segments, { ...NO_LIMITS, neighbours }));
  const plain = judged(input, { policy, detectors, structures: reading.structures });
  const requestOutcomes =
    call.request === undefined ? [] : await scanCall({ ...plain, call: call.request, kind: 'request' }, { scan });
  const toJudge =
    call.request === undefined ? plain : { ...plain, request: { call: call.request, outcomes: requestOutcomes } };
  return { toJudge, scan, reading: await readCall(toJudge, hostOf(scan, 0)), requestOutcomes };
}

/** The judge's host for tests. */
export function hostOf(scan: JudgeHost['scan'], nowMs: number): JudgeHost {
  return { nowMs, scan, hash: () => Promise.resolve(testHash) };
}

export const KINDS = { pre: 'request', post: 'answer', tool: 'tool_call' } as const;

function judged({ test, call, stage }: GatherInput, policy: CallToJudge['policy']): CallToJudge {
  return {
    policy,
    context: contextOf(test, policy.policy),
    ledger: NOTHING_USED,
    call: call.call,
    kind: KINDS[stage],
    conversation: {
      list: 'messages',
      items: (test.messages ?? []).map(({ role }) => ({ role, startsTurn: role === 'user' })),
    },
    enforceable: true,
    ...(test.session === undefined ? {} : { session: sessionOf(test.session.steps ?? [], policy.structures) }),
    monitorRequested: test.monitor_mode === true,
    ...(stage === 'tool' ? { onlyToolCall: { index: indexOf(call) } } : {}),
    supposed: { down: new Set(test.unavailable), facts: (facts) => withTestsFacts(facts, test) },
  };
}

function indexOf({ call, toolCall }: { readonly call: DecodedCall } & Pick<TestCall, 'toolCall'>): number | undefined {
  return toolCall === undefined ? undefined : call.newToolCalls.indexOf(toolCall);
}

function withTestsFacts(built: FactSet, test: TestCase): FactSet {
  const facts: Record<string, FactValue> = { ...built, ...givenContext(test) };
  for (const [root, value] of Object.entries(test.facts ?? {})) {
    const holdsMarks = root === 'tool' || root === 'tool_calls';
    facts[root] = overlay(facts[root], holdsMarks ? withoutMarks(value) : value);
  }
  return facts;
}

/** The detectors of a test: real ones, and stubs whose findings are the test's annotations. */
export async function detectorsOf({
  policy,
  plugins,
  mode,
  call,
}: Pick<GatherInput, 'policy' | 'plugins' | 'mode' | 'call'>): Promise<readonly BoundDetector[]> {
  const stubs = stubDetectors(policy, plugins, call.annotations);
  if (!policy.detectors.some((binding) => looks(binding, mode, plugins))) return stubs;
  const live = await liveDetectors(policy, plugins, mode);
  return stubs.map((stub) => live.get(stub.binding.key) ?? stub);
}

type ByKey = ReadonlyMap<string, BoundDetector>;

interface Bound {
  /** Bound detectors, by their settings in a policy. */
  readonly bySetting: Map<string, BoundDetector>;
  readonly byPolicy: Readonly<Record<DetectorMode, WeakMap<CompiledPolicy, ByKey>>>;
}

/** The maximum number of cached detector settings. */
const MAX_SETTINGS = 100;

const boundOf = memoizeByObject((_plugins: PluginCatalog): Bound => ({
  bySetting: new Map(),
  byPolicy: { local: new WeakMap(), stub: new WeakMap(), live: new WeakMap() },
}));

/**
 * The real detectors of a policy. Loading and binding can be slow: only detectors that scan are loaded, and each is bound once for all
 * policies with equal settings.
 */
async function liveDetectors(policy: CompiledPolicy, plugins: PluginCatalog, mode: DetectorMode): Promise<ByKey> {
  const known = boundOf(plugins);
  const ready = known.byPolicy[mode].get(policy);
  if (ready !== undefined) return ready;
  const looking = policy.detectors.filter((binding) => looks(binding, mode, plugins));
  const whole = await wholeCatalog(plugins, new Set(looking.map(({ plugin }) => plugin)));
  // Read from the canonical policy: bound options may contain values that JSON does not distinguish.
  const { detectors: written } = JSON.parse(policy.canonical) as { readonly detectors: readonly unknown[] };
  const detectors = new Map<string, BoundDetector>();
  policy.detectors.forEach((binding, index) => {
    if (!looking.includes(binding)) return;
    const setting = JSON.stringify([written[index], binding.codes, binding.minScore]);
    const made = known.bySetting.get(setting) ?? withoutLimit(bindDetectors({ detectors: [binding] }, whole)[0]!);
    // Bounds the cache, because a server tests deployments as long as it runs.
    if (known.bySetting.size >= MAX_SETTINGS) known.bySetting.clear();
    known.bySetting.set(setting, made);
    detectors.set(binding.key, made);
  });
  known.byPolicy[mode].set(policy, detectors);
  return detectors;
}

function withoutLimit(detector: BoundDetector): BoundDetector {
  return { ...detector, binding: { ...detector.binding, timeoutMs: Number.POSITIVE_INFINITY } };
}

function contextOf(test: TestCase, policy: CompiledPolicy): CallContext {
  return {
    environment: policy.environment,
    declaredEnvironment: policy.environment,
    app: { id: test.app?.id ?? '', name: test.app?.name ?? '' },
    key: { id: test.key?.id ?? '', name: test.key?.name ?? '' },
    ...(test.provider === undefined ? {} : { provider: test.provider }),
    ...(test.model === undefined ? {} : { model: test.model.name }),
    ...(test.session === undefined ? {} : { sessionId: test.session.id }),
    metadata: test.metadata ?? {},
  };
}

/** The parts of the context that every real call has, but a test only if it sets them. */
function givenContext(test: TestCase): Record<string, FactValue> {
  return {
    app: { ...test.app },
    key: { ...test.key },
    ...(test.model === undefined ? { model: {} } : {}),
  };
}

function overlay(under: FactValue | undefined, over: FactValue): FactValue {
  if (!isRecord(under) || !isRecord(over)) return over;
  const merged: Record<string, FactValue> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    merged[key] = overlay(Object.hasOwn(merged, key) ? merged[key] : undefined, value);
  }
  return merged;
}

function isRecord(value: FactValue | undefined): value is Readonly<Record<string, FactValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
}

function withoutMarks(value: JsonValue): FactValue {
  if (typeof value === 'string') return parseAnnotations(value).text;
  if (Array.isArray(value)) return value.map((item: JsonValue) => withoutMarks(item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]: [string, JsonValue]) => [key, withoutMarks(inner)]),
    );
  }
  return value;
}
