import { masksTexts } from '../../core/model/actions.js';
import { stringify } from 'yaml';
import { namedLeaves, type RecordedDecision, type StageSnapshot } from '../../core/stored/index.js';
import type { JsonValue } from '../../core/model/call.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import { formatPolicyFile } from '../format/index.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { runPolicyTests } from '../policy-test/index.js';

/** A test file, and the result of running it once. */
export interface Captured {
  /** A test file in the published format. */
  readonly text: string;
  /**
   * Problems of the file, and the expected fields that the test does not reproduce, for example because facts were not stored; empty if the
   * test passes.
   */
  readonly failures: readonly string[];
}

/** The test id for an event: the event's id, in which characters that test ids do not allow are replaced. */
export function capturedId(event: string): string {
  const name = event
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .slice(0, 60);
  return `captured-${name}`;
}

/** Whether a text can be the id of a test. */
export function isTestId(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/.test(text);
}

/**
 * Converts a recorded decision to a policy test, and runs it with the policy that made the decision. If there are several stages, the test
 * covers the one in which most rules fired. The test contains no user-written text.
 * @param id the id of the test; see `isTestId`
 * @returns undefined if the record has no judged stage
 */
export async function captureTest(
  id: string,
  record: RecordedDecision,
  policy: CompiledPolicy,
  plugins: PluginCatalog,
): Promise<Captured | undefined> {
  const [stage] = [...record.stages].sort((a, b) => b.fired.length - a.fired.length);
  if (stage === undefined) return undefined;
  return triedTest(capturedTest(id, record, stage, policy), policy, plugins, record.clockMs);
}

/** A call that was tried by hand, and its result. Unlike a recorded call it may be stored unmasked. */
export interface TriedCall {
  /** The call and its context, by the keys of the test format. */
  readonly given: Readonly<Record<string, JsonValue>>;
  readonly clockMs: number;
  readonly snapshot: StageSnapshot;
  readonly redactions: readonly { readonly type: string; readonly count: number }[];
}

/** Converts a call that was tried by hand to a policy test, which contains the call as it was sent. */
export async function testOfTrial(
  id: string,
  { snapshot, redactions, given, clockMs }: TriedCall,
  policy: CompiledPolicy,
  plugins: PluginCatalog,
): Promise<Captured> {
  const test = {
    id,
    title: 'Tried manually',
    stage: snapshot.stage,
    clock: new Date(clockMs).toISOString(),
    ...given,
    expect: {
      ...expectation(snapshot),
      ...(masksTexts(snapshot.action) ? { redactions: redactions.map((one) => ({ ...one })) } : {}),
    },
  };
  return triedTest(test, policy, plugins, clockMs);
}

/** A test case in the published format. */
type CapturedTest = Readonly<Record<string, JsonValue>>;

/** Writes a test as a file, and runs it once. */
async function triedTest(
  test: CapturedTest,
  policy: CompiledPolicy,
  plugins: PluginCatalog,
  nowMs: number,
): Promise<Captured> {
  const { environment } = policy;
  const written = testFile(test, environment);
  const formatted = formatPolicyFile('captured.test.yaml', written);
  const text = formatted.kind === 'formatted' ? formatted.text : written;
  const { results, problems } = await runPolicyTests({
    files: [{ path: 'captured.test.yaml', text }],
    policies: new Map([[environment, policy]]),
    plugins,
    nowMs,
  });
  const failed = results.flatMap((result) =>
    result.status === 'failed' ? result.failures.map(({ field }) => field) : [],
  );
  return { text, failures: [...problems.map(({ message }) => message), ...failed] };
}

/**
 * Converts a recorded evaluation to a policy test. The test contains detector results, counts, tool name, model and provider. Texts of the
 * metadata are kept only if the policy compares with them, and are otherwise replaced by neutral values.
 *
 * @param id lower-case letters, digits, dots, dashes and underscores
 */
function capturedTest(
  id: string,
  record: RecordedDecision,
  stage: StageSnapshot,
  policy: CompiledPolicy,
): CapturedTest {
  const named = namedValues(policy, stage);
  const keys = policy.detectors.map(({ key }) => key).filter((key) => Object.hasOwn(stage.facts, key));
  const down = keys.filter((key) => isUnknown(stage.facts[key]));
  const found = keys.filter((key) => !down.includes(key) && countOf(stage.facts[key]) > 0);
  const facts = Object.fromEntries([
    ...found.map((key) => [key, stage.facts[key]!]),
    ...Object.entries(stage.facts).filter(([root]) => ['tools', 'tool_calls_count', 'request'].includes(root)),
    ...toolFacts(stage),
  ]) as Record<string, JsonValue>;
  const metadata = sanitised(record.metadata, named);
  const model = textAt(stage.facts['model'], 'name');
  const app = textAt(stage.facts['app'], 'name');
  const provider = stage.facts['provider'];
  return {
    id,
    title: `From event ${record.id}`,
    stage: stage.stage,
    clock: new Date(record.clockMs).toISOString(),
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(model === undefined ? {} : { model: { name: model } }),
    ...(app === undefined ? {} : { app: { name: app } }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(record.clientMonitor ? { monitor_mode: true } : {}),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    ...(down.length === 0 ? {} : { unavailable: down }),
    expect: expectation(stage),
  };
}

/** Writes a test file with one test. */
function testFile(test: CapturedTest, environment: CompiledPolicy['environment']): string {
  const suite = { apiVersion: 'weir/v1', kind: 'PolicyTest', environments: [environment], tests: [test] };
  return stringify(suite, { version: '1.2', lineWidth: 120 });
}

function expectation(stage: StageSnapshot): Record<string, JsonValue> {
  const enforced = stage.fired.filter((rule) => rule.enforced);
  const idle = (action: string) =>
    stage.fired.filter((rule) => !rule.enforced && rule.action === action).map(({ rule }) => rule);
  const exceptions = [...new Set(stage.fired.flatMap(({ exception }) => exception ?? []))];
  return {
    action: stage.action,
    rules: enforced.map(({ rule }) => rule),
    ...(stage.unavailable === true ? { unavailable: true } : {}),
    ...(idle('block').length > 0 ? { would_block: idle('block') } : {}),
    ...(idle('redact').length > 0 ? { would_redact: idle('redact') } : {}),
    ...(exceptions.length > 0 ? { exceptions } : {}),
  };
}

/** The facts of the judged tool call, without its arguments. */
function toolFacts({ stage, facts }: StageSnapshot): [string, JsonValue][] {
  const tool = facts['tool'];
  if (stage !== 'tool' || !isObject(tool)) return [];
  const kept = Object.entries(tool).filter(([name, value]) => name !== 'args' && !isUnknown(value));
  return [['tool', Object.fromEntries(kept)]];
}

/** Texts and numbers with which the policy compares facts. */
function namedValues(policy: CompiledPolicy, { stage }: StageSnapshot): ReadonlySet<JsonValue> {
  const values = namedLeaves(policy, stage).flatMap(({ value }) =>
    Array.isArray(value) ? (value as JsonValue[]) : [value as JsonValue],
  );
  return new Set(values);
}

/** Metadata with the same keys and types; texts that the policy does not contain become `value-1`, `value-2`, … */
function sanitised(metadata: JsonValue | undefined, named: ReadonlySet<JsonValue>): JsonValue | undefined {
  let count = 0;
  const clean = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return named.has(value) ? value : `value-${++count}`;
    if (Array.isArray(value)) return value.map(clean);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner)]));
    return value;
  };
  return metadata === undefined ? undefined : clean(metadata);
}

function countOf(value: JsonValue | undefined): number {
  return isObject(value) && typeof value['count'] === 'number' ? value['count'] : 0;
}

function textAt(value: JsonValue | undefined, key: string): string | undefined {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function isUnknown(value: JsonValue | undefined): boolean {
  return isObject(value) && 'unknown' in value && 'source' in value;
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
