import { masksTexts } from '../../core/model/actions.js';
import type { Segment } from '../../core/model/call.js';
import type { Decision, FiredRule, RedactionCount } from '../../core/model/decision.js';
import type { LocatedFinding } from '../../core/model/finding.js';
import { readFact } from '../../core/facts/read-path.js';
import { answerOf, type JudgedStage } from '../../core/judge/index.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { compareText } from '../../core/model/compare-text.js';
import { applyEdits, type Edit } from '../../core/redaction/index.js';
import { describeLeaf, describeValues, leavesOf } from './leaves.js';
import type { Expectation } from './suite-schema.js';
import type { YamlValue } from './yaml-file.js';

/** A difference from an expectation of a test. It contains only values from the test file and its sample texts. */
export interface TestFailure {
  /** The key of the expectation; `findings` or `leak` for checks that need no expectation. */
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
  /** The value with which the expectation would be met, null for no value; absent if no value would meet it. */
  readonly now?: YamlValue;
  /** For each rule that differs: its conditions and the values of their facts. */
  readonly why: readonly string[];
}

/** The outcome of one test. */
export interface Actual {
  readonly policy: CompiledPolicy;
  /** Each stage at which the call was judged. */
  readonly stages: readonly JudgedStage[];
  readonly decision: Decision;
  readonly segments: readonly Segment[];
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
  /** The findings that the decision's redactions cover. */
  readonly covered: readonly LocatedFinding[];
}

/** Finds all differences between outcome and expectation. Keys that the test does not set are not compared, except `unavailable`. */
export function compare(expected: Expectation, actual: Actual): TestFailure[] {
  const { decision } = actual;
  const failures: TestFailure[] = [];
  const check = (field: string, want: unknown, have: unknown, now = have as YamlValue): void => {
    const [a, b] = [JSON.stringify(want), JSON.stringify(have)];
    if (a !== b) failures.push({ field, expected: a, actual: b ?? 'nothing', now, why: [] });
  };
  check('action', expected.action, decision.action);
  compareRules(expected, actual, failures);
  const idle = (action: FiredRule['action']): string[] =>
    ids(decision.fired.filter((rule) => !rule.enforced && rule.action === action));
  if (expected.would_block !== undefined) check('would_block', sorted(expected.would_block), idle('block'));
  if (expected.would_redact !== undefined) check('would_redact', sorted(expected.would_redact), idle('redact'));
  if (expected.would_flag !== undefined) check('would_flag', sorted(expected.would_flag), idle('flag'));
  if (expected.exceptions !== undefined) check('exceptions', sorted(expected.exceptions), sorted(decision.exceptions));
  if (expected.reason !== undefined) check('reason', expected.reason, decision.reason ?? null);
  if (expected.answer !== undefined) check('answer', expected.answer, answerOf(decision)?.text ?? null);
  check('unavailable', expected.unavailable ?? false, decision.unavailable);
  if (expected.redactions !== undefined) check('redactions', byType(expected.redactions), byType(actual.redactions));
  const texts = outgoingTexts(actual);
  // Texts change only if they are redacted, so otherwise there is none to expect.
  const now = masksTexts(decision.action) ? texts : null;
  if (typeof expected.text === 'string') check('text', [expected.text], texts, now?.length === 1 ? now[0]! : now);
  else if (expected.text !== undefined) check('text', expected.text, texts, now);
  return [...failures, ...leaks(actual)];
}

function compareRules(expected: Expectation, actual: Actual, failures: TestFailure[]): void {
  const fired = ids(actual.decision.fired.filter((rule) => rule.enforced));
  const fail = (field: string, want: readonly string[], about: readonly string[], now: string[]): void => {
    const why = about.flatMap((rule) => explain(rule, actual));
    failures.push({ field, expected: JSON.stringify(want), actual: JSON.stringify(fired), now, why });
  };
  if (expected.rules !== undefined) {
    const want = sorted(expected.rules);
    const differing = [...want.filter((id) => !fired.includes(id)), ...fired.filter((id) => !want.includes(id))];
    if (differing.length > 0) fail('rules', want, differing, fired);
  }
  const included = sorted(expected.rules_include ?? []);
  const [there, absent] = [included.filter((id) => fired.includes(id)), included.filter((id) => !fired.includes(id))];
  if (absent.length > 0) fail('rules_include', included, absent, there);
  const excluded = sorted(expected.rules_exclude ?? []);
  const [unwanted, away] = [excluded.filter((id) => fired.includes(id)), excluded.filter((id) => !fired.includes(id))];
  if (unwanted.length > 0) fail('rules_exclude', excluded, unwanted, away);
}

function explain(id: string, { policy, stages, decision }: Actual): string[] {
  const rule = policy.rules.find((one) => one.id === id);
  if (rule === undefined) return [];
  const asked = stages.filter(({ stage }) => stage === rule.stage);
  const judged = asked.find((one) => one.decision.fired.some((each) => each.rule === id)) ?? asked[0];
  if (judged === undefined) {
    const others = [...new Set(stages.map(({ stage }) => stage))];
    return [`${id} belongs to stage ${rule.stage}, but the test judges stage ${others.join(' and ')}`];
  }
  const { stage, facts } = judged;
  const fired = decision.fired.find((one) => one.rule === id);
  const state =
    fired === undefined
      ? 'did not match'
      : fired.enforced
        ? 'matched'
        : `matched, not enforced (${fired.softenedBy ?? 'monitor'})`;
  const lines = leavesOf(policy, stage)
    .filter(({ name }) => name.startsWith(`${id}#`))
    .map((leaf) => {
      const truth = judged.decision.leaves[leaf.name];
      const mark = truth === true ? 'true   ' : truth === false ? 'false  ' : 'unknown';
      const at = policy.sources.leaves[leaf.name]?.at;
      const where = at === undefined ? '' : `    ${at.file}:${at.line}`;
      return `  ${mark}  ${describeLeaf(leaf)}    ${leaf.fact} = ${describeValues(leaf, (name) => readFact(facts, name))}${where}`;
    });
  return [`${id} ${state}`, ...lines];
}

/** The texts as they would be sent, in the order of the call's segments, without unmaskable texts. */
export function outgoingTexts({ segments, edits }: Pick<Actual, 'segments' | 'edits'>): string[] {
  return segments.flatMap((segment, index) =>
    isUnmaskable(segment)
      ? []
      : [
          applyEdits(
            segment.text,
            edits.filter((edit) => edit.segment === index),
          ),
        ],
  );
}

function isUnmaskable({ document, signed }: Segment): boolean {
  return document === true || signed === true;
}

/** Failures for redacted values that also occur in an unmasked part of the texts. */
function leaks({ decision, segments, edits, covered }: Actual): TestFailure[] {
  if (!masksTexts(decision.action)) return [];
  const kept = segments.flatMap((segment, index) =>
    isUnmaskable(segment)
      ? []
      : keptParts(
          segment.text,
          edits.filter((edit) => edit.segment === index),
        ),
  );
  return covered
    .filter(({ segment, start, end }) => {
      const value = segments[segment]?.text.slice(start, end) ?? '';
      return value !== '' && kept.some((part) => part.includes(value));
    })
    .map(({ code, segment }) => ({
      field: 'leak',
      expected: `no value of ${code} in the outgoing text`,
      actual: `the value found at ${segments[segment]?.path ?? '?'} is not masked everywhere`,
      why: [],
    }));
}

function keptParts(text: string, edits: readonly Edit[]): string[] {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

function ids(fired: readonly FiredRule[]): string[] {
  return sorted([...new Set(fired.map(({ rule }) => rule))]);
}

function sorted(names: readonly string[]): string[] {
  return [...names].sort(compareText);
}

function byType(counts: readonly RedactionCount[]): RedactionCount[] {
  return counts.map(({ type, count }) => ({ type, count })).sort((a, b) => compareText(a.type, b.type));
}
