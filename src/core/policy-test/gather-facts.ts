import type { DetectorMode } from './readings.js';
import type { JsonValue, Segment } from '../model/call.js';
import { bindDetectors, type BoundDetector } from '../detection/bind.js';
import { wholeCatalog, type PluginCatalog } from '../detection/catalog.js';
import { runScan } from '../detection/run-scan.js';
import type { DetectorOutcome } from '../model/finding.js';
import type { BoundStructure } from '../detection/structure.js';
import { buildFacts, outcomesForToolCall, type CallContext } from '../facts/build-facts.js';
import { Unknown, type FactSet, type FactValue, type Stage } from '../model/fact.js';
import type { BudgetDefinition, CompiledPolicy } from '../model/compiled-policy.js';
import { parseAnnotations } from './annotations.js';
import type { TestCall } from './build-call.js';
import type { TestCase } from './read-suite.js';
import type { Readings } from './readings.js';
import { stubDetectors } from './test-detectors.js';

export interface GatheredFacts {
  readonly facts: FactSet;
  /** Of the call that is judged: what redaction works on. */
  readonly outcomes: readonly DetectorOutcome[];
  /** Of the request before it, at stage `tool`. */
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

/** Tests have no clock of their own: a scan that ends is in time. */
const NO_LIMITS = { nowMs: () => 0, deadlineMs: Number.POSITIVE_INFINITY };

/**
 * The facts that the server would build for this test's call, by the server's own functions, with the test's `facts`
 * laid over them. Budgets start unused; a fact of the context that the test does not set is absent.
 */
export async function gatherFacts(input: GatherInput): Promise<GatheredFacts> {
  const { test, call, policy, readings } = input;
  const down = new Set(test.unavailable ?? []);
  const reading = readings.of(policy);
  const scan = (segments: readonly Segment[]): Promise<readonly DetectorOutcome[]> =>
    reading.outcomes(segments, input.mode, () => scanned(input, segments, down));
  const outcomes = await scan(call.call.segments);
  const requestOutcomes = call.request === undefined ? [] : await scan(call.request.segments);
  const built = buildFacts({
    context: contextOf(test, policy),
    call: call.call,
    ...(call.toolCall === undefined ? {} : { toolCall: call.toolCall }),
    ...(call.request === undefined ? {} : { request: call.request }),
    outcomes:
      call.toolCall === undefined
        ? mergeOutcomes(requestOutcomes, outcomes)
        : outcomesForToolCall(call.toolCall, outcomes, requestOutcomes),
    structures: reading.structures.map((structure) => (down.has(structure.id) ? broken(structure) : structure)),
    budgets: [],
  });
  const facts: Record<string, FactValue> = { ...built, ...givenContext(test) };
  if (policy.budgets.length > 0) facts['budgets'] = budgetFacts(policy.budgets, down.has('budget'));
  for (const [root, value] of Object.entries(test.facts ?? {})) {
    const holdsMarks = root === 'tool' || root === 'tool_calls';
    facts[root] = overlay(facts[root], holdsMarks ? withoutMarks(value as JsonValue) : (value as FactValue));
  }
  return { facts, outcomes, requestOutcomes };
}

async function scanned(
  input: GatherInput,
  segments: readonly Segment[],
  down: ReadonlySet<string>,
): Promise<readonly DetectorOutcome[]> {
  const detectors = await detectorsOf(input);
  const outcomes = await runScan(
    detectors.filter(({ binding }) => !down.has(binding.key)),
    segments,
    NO_LIMITS,
  );
  return [...outcomes, ...input.policy.detectors.filter(({ key }) => down.has(key)).map(failed)];
}

async function detectorsOf({ policy, plugins, mode, call }: GatherInput): Promise<BoundDetector[]> {
  return mode === 'live'
    ? liveDetectors(policy, await wholeCatalog(plugins))
    : stubDetectors(policy, plugins, call.annotations);
}

const bound = new WeakMap<PluginCatalog, Map<string, BoundDetector>>();

/** Binding may precompute for long, so it is done once for all policies that set a detector up alike. */
export function liveDetectors(policy: CompiledPolicy, plugins: PluginCatalog): BoundDetector[] {
  const known = bound.get(plugins) ?? new Map<string, BoundDetector>();
  bound.set(plugins, known);
  // As written: bound options may hold what JSON cannot tell apart.
  const { detectors: written } = JSON.parse(policy.canonical) as { readonly detectors: readonly unknown[] };
  return policy.detectors.map((binding, index) => {
    const setting = JSON.stringify(written[index]);
    const made = known.get(setting) ?? withoutLimit(bindDetectors({ detectors: [binding] }, plugins)[0]!);
    known.set(setting, made);
    return made;
  });
}

function withoutLimit({ binding, scan }: BoundDetector): BoundDetector {
  return { binding: { ...binding, timeoutMs: Number.POSITIVE_INFINITY }, scan };
}

function failed({ key, plugin, revision }: CompiledPolicy['detectors'][number]): DetectorOutcome {
  return { detector: key, plugin, revision, status: 'failed', reason: 'failed' };
}

/** Without a tool call to judge there is only the conversation. */
function mergeOutcomes(
  before: readonly DetectorOutcome[],
  own: readonly DetectorOutcome[],
): readonly DetectorOutcome[] {
  return before.length > 0 ? before : own;
}

function broken(structure: BoundStructure): BoundStructure {
  return {
    ...structure,
    read: () => {
      throw new Error('switched off by the test');
    },
  };
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
    metadata: (test.metadata ?? {}) as Record<string, JsonValue>,
  };
}

/** The parts of the context that every real call has: in a test they are there only when the test says so. */
function givenContext(test: TestCase): Record<string, FactValue> {
  return {
    app: { ...test.app } as FactValue,
    key: { ...test.key } as FactValue,
    ...(test.model === undefined ? { model: {} } : {}),
  };
}

function budgetFacts(budgets: readonly BudgetDefinition[], down: boolean): FactValue {
  if (down) return new Unknown('unavailable', 'budget');
  return Object.fromEntries(
    budgets.map(({ id, limit }) => [
      id,
      { used_ratio: 0, used: 0, remaining: limit.unit === 'usd' ? Number(limit.nanoUsd) / 1e9 : limit.tokens },
    ]),
  );
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
  return value as FactValue;
}
