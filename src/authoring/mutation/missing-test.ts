import { masksTexts } from '../../core/model/actions.js';
import type { JsonValue } from '../../core/model/call.js';
import type { FactValue } from '../../core/model/fact.js';
import { splitFactName } from '../../core/facts/read-path.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { inputFor } from '../policy-diff/request.js';
import { sampleOf, type VerdictChange } from '../policy-diff/index.js';
import {
  judgePrepared,
  runsInEveryTest,
  outgoingTexts,
  preparePolicyTests,
  runPrepared,
  type JudgedTest,
  type PreparedTest,
} from '../policy-test/index.js';

/** A test in the format of a test file, as plain JSON. */
export type PlainTest = { [key: string]: JsonValue };

export interface MissingTestInput {
  readonly id: string;
  readonly title: string;
  readonly environment: Environment;
  /** The policy without the mutation; `mutant` is the policy with it. */
  readonly policy: CompiledPolicy;
  readonly mutant: CompiledPolicy;
  readonly witness: VerdictChange;
  readonly plugins: PluginCatalog;
  readonly nowMs: number;
}

/**
 * A test that kills a surviving mutant: the witness request, with the policy's decision as expectation. Undefined if a test file cannot
 * express the request, or if the test does not pass with the policy and fail with the mutant; both are checked.
 */
export async function missingTest(input: MissingTestInput): Promise<PlainTest | undefined> {
  const draft = draftOf(input, await samplesFor(input));
  const first = await prepared({ ...draft, expect: { action: 'allow', rules: [] } }, input);
  if (first === undefined) return undefined;
  const judged = await judgePrepared(first, input.policy, first.test.clock ?? input.nowMs);
  const test: PlainTest = { ...draft, expect: expectationOf(judged) };
  const ready = await prepared(test, input);
  if (ready === undefined) return undefined;
  const passes = (await runPrepared(ready, input.policy, input)).status === 'passed';
  const notices = (await runPrepared(ready, input.mutant, input)).status === 'failed';
  return passes && notices ? test : undefined;
}

async function prepared(
  test: PlainTest,
  { environment, policy, plugins, nowMs }: MissingTestInput,
): Promise<PreparedTest | undefined> {
  // JSON is valid YAML 1.2.
  const text = JSON.stringify({
    apiVersion: 'weir/v1',
    kind: 'PolicyTest',
    environments: [environment],
    tests: [test],
  });
  const { prepared: ready, problems } = await preparePolicyTests({
    files: [{ path: 'missing.test.yaml', text }],
    policies: new Map([[environment, policy]]),
    plugins,
    nowMs,
  });
  return problems.length > 0 ? undefined : ready[0];
}

function expectationOf({ decision, redactions, ...judged }: JudgedTest): PlainTest {
  const idle = (action: string): string[] =>
    [
      ...new Set(decision.fired.filter((rule) => !rule.enforced && rule.action === action).map(({ rule }) => rule)),
    ].sort();
  const enforced = [...new Set(decision.fired.filter((rule) => rule.enforced).map(({ rule }) => rule))].sort();
  const texts = outgoingTexts(judged);
  return {
    action: decision.action,
    ...(decision.reason !== undefined && { reason: decision.reason }),
    ...(decision.unavailable && { unavailable: true }),
    rules: enforced,
    would_block: idle('block'),
    would_redact: idle('redact'),
    would_flag: idle('flag'),
    ...(decision.exceptions.length > 0 && { exceptions: [...decision.exceptions] }),
    ...(masksTexts(decision.action) && texts.length === 1 && { text: texts[0]! }),
    ...(redactions.length > 0 && { redactions: redactions.map(({ type, count }) => ({ type, count })) }),
  };
}

/** Keys of a test that set facts of the same name. */
const CONTEXT = new Set(['model', 'app', 'key', 'session', 'metadata', 'provider']);

/** Texts with a marked match, by `detector/code`, for detectors whose patterns or words are in the policy. */
async function samplesFor({ witness, policy, plugins }: MissingTestInput): Promise<ReadonlyMap<string, string>> {
  const samples = new Map<string, string>();
  for (const { part } of witness.request.whole.settings.values()) {
    if (part.kind !== 'findings') continue;
    const binding = policy.detectors.find(({ key }) => key === part.detector);
    if (binding === undefined || !runsInEveryTest(binding, plugins)) continue;
    for (const { code } of part.findings) {
      const found = await sampleOf(binding, code, plugins);
      if (found === undefined) continue;
      const { text, start, end } = found;
      const marked = `{{${mark(part.detector, code, policy)}:${text.slice(start, end)}}}`;
      samples.set(`${part.detector}/${code}`, `${text.slice(0, start)}${marked}${text.slice(end)}`);
    }
  }
  return samples;
}

function draftOf(
  { id, title, environment, witness, policy, plugins, nowMs }: MissingTestInput,
  samples: ReadonlyMap<string, string>,
): PlainTest {
  const { whole } = witness.request;
  const { facts, nowMs: at } = inputFor(whole, policy, nowMs);
  const structures = new Set(
    plugins.structures.flatMap((plugin) => plugin.facts.map(({ name }) => splitFactName(name).root)),
  );
  const silent = new Set<string>();
  const unavailable: string[] = [];
  let text = '';
  let monitorMode = false;
  const scores: PlainTest = {};
  for (const { part } of whole.settings.values()) {
    if (part.kind === 'down') {
      unavailable.push(part.source);
      for (const root of part.roots) silent.add(root);
    } else if (part.kind === 'findings') {
      text += part.findings
        .map(
          ({ code }, index) =>
            ` ${samples.get(`${part.detector}/${code}`) ?? `{{${mark(part.detector, code, policy)}:sample ${index + 1}}}`}`,
        )
        .join('');
      const score = part.findings[0]?.score ?? 1;
      if (score !== 1) scores[part.detector] = { score };
    } else if (part.kind === 'text') {
      text += ` ${part.text}`;
    } else if (part.kind === 'client') monitorMode ||= part.monitor;
  }
  const given: PlainTest = {};
  const overlaid: PlainTest = { ...scores };
  for (const [root, value] of Object.entries(facts)) {
    if (silent.has(root) || root === 'environment' || policy.detectors.some(({ key }) => key === root)) continue;
    if (CONTEXT.has(root)) Object.assign(given, contextField(root, value));
    else overlaid[root] = plain(value, structures.has(root));
  }
  if (witness.stage === 'tool') given['tool'] = toolOf(facts['tool']);
  return {
    id,
    title,
    environments: [environment],
    clock: new Date(at).toISOString(),
    detectors: 'stub',
    stage: witness.stage,
    ...given,
    text: `A text${text}`,
    ...(Object.keys(overlaid).length > 0 && { facts: overlaid }),
    ...(unavailable.length > 0 && { unavailable }),
    ...(monitorMode && { monitor_mode: true }),
  };
}

/** The name in an annotation: with the detector only if several detectors have the code. */
function mark(detector: string, code: string, { detectors }: CompiledPolicy): string {
  return detectors.filter(({ codes }) => codes.includes(code)).length > 1 ? `${detector}/${code}` : code;
}

function contextField(root: string, value: FactValue): PlainTest {
  const field = plain(value, false);
  return field === null || (typeof field === 'object' && Object.keys(field).length === 0) ? {} : { [root]: field };
}

function toolOf(tool: FactValue | undefined): JsonValue {
  const { name, args } = (typeof tool === 'object' && tool !== null ? tool : {}) as { name?: string; args?: JsonValue };
  return { name: name ?? 'other', ...(args !== undefined && { args }) };
}

/** A fact in the format of a test file. An absent fact is omitted, or `null` if a plugin would otherwise compute it. */
function plain(value: FactValue, computed: boolean): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) => (inner === undefined && computed ? null : inner)),
  ) as JsonValue;
}
