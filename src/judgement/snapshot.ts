import {
  filtered,
  isStop,
  makersText,
  SNAPSHOT_VERSION,
  stageSnapshot,
  stageText,
  type CallJudgement,
  type DecodedCall,
  type LocatedFinding,
  type StageSnapshot,
  type Steps,
} from '../core/index.js';
import type { HiddenName, JudgeInput } from './judgement.js';

function* isFoundInModel(call: DecodedCall, findings: readonly LocatedFinding[]): Steps<boolean> {
  if (findings.length === 0) return false;
  const names = new Set<number>();
  for (const [segment, { path }] of call.segments.entries()) {
    if (path === 'model') names.add(segment);
    if (isStop(segment)) yield;
  }
  if (names.size === 0) return false;
  return (yield* filtered(findings, ({ segment }) => names.has(segment))).length > 0;
}

/** Facts that contain names in the caller's spelling. */
const NAMED_BY_CALLERS: readonly string[] = ['provider', 'model', 'tool', 'tools', 'tool_calls'];
/** Shorter matches occur in too many words. */
const MIN_FOUND = 4;
const HIDDEN = '[MASKED]';

/** Names of models and tools are written by callers: a name that contains a finding is not stored. */
function withoutFoundNames(
  stage: StageSnapshot,
  found: readonly string[],
  hidden: readonly HiddenName[],
): StageSnapshot {
  const facts = Object.entries(stage.facts).map(([name, value]) => {
    if (name === 'model' && hidden.includes('model')) return [name, { name: HIDDEN }];
    if (name === 'provider' && hidden.includes('provider')) return [name, HIDDEN];
    return [name, found.length > 0 && NAMED_BY_CALLERS.includes(name) ? withoutFound(value, found) : value];
  });
  return { ...stage, facts: Object.fromEntries(facts) as StageSnapshot['facts'] };
}

function withoutFound(value: unknown, found: readonly string[]): unknown {
  if (typeof value === 'string') return holds(value.toLowerCase(), found) ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutFound(item, found));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutFound(item, found)]));
}

/** With more findings than are searched for, every name counts as containing one: this bounds the work. */
function holds(name: string, found: readonly string[]): boolean {
  return found.length > MAX_FOUND || found.some((text) => name.includes(text));
}

/** The texts of the findings that lie in names, in lower case. */
function* foundInNames(call: DecodedCall, findings: readonly LocatedFinding[]): Steps<string[]> {
  if (findings.length === 0) return [];
  const inNames = yield* filtered(findings, ({ segment, start, end }) => {
    const { path, text } = call.segments[segment]!;
    return end - start >= MIN_FOUND && text.length <= MAX_NAME && NAME_PLACE.test(path);
  });
  return [
    ...new Set(inNames.map(({ segment, start, end }) => call.segments[segment]!.text.slice(start, end).toLowerCase())),
  ];
}

/** Paths of texts that are names. */
const NAME_PLACE = /(?:^|[._])(?:name|tool|model)$/;
const MAX_NAME = 256;
const MAX_FOUND = 50;
const MAX_FINDINGS = 1_000;

/**
 * The fact snapshot that is stored with a decision: every fact the rules could read, the truth of every leaf, and the
 * detector and place of every finding. Decisions can be recomputed from it; it never contains matched text, arguments
 * or metadata values. For a repaired request it describes the forwarded form.
 *
 * @param nowMs the time that the rules used, milliseconds since the epoch
 */
export function* snapshotOf(input: JudgeInput, judgement: CallJudgement, nowMs: number): Steps<string> {
  const { request, hiddenNames = [] } = input;
  const { policy } = input.policy;
  const { repair } = judgement;
  const { stages, findings } = repair ?? judgement;
  const call = repair?.call ?? input.call;
  const hidden = (yield* isFoundInModel(call, findings)) ? [...hiddenNames, 'model' as const] : hiddenNames;
  const own = yield* foundInNames(call, findings);
  const before = request === undefined ? [] : yield* foundInNames(request.call, request.judgement.findings);
  const found = before.length === 0 ? own : [...new Set([...own, ...before])];
  const recorded: string[] = [];
  for (const judged of stages) {
    if (recorded.length > 0) yield;
    recorded.push(
      found.length === 0 && hidden.length === 0
        ? stageText(policy, judged)
        : JSON.stringify(withoutFoundNames(stageSnapshot(policy, judged), found, hidden)),
    );
  }
  const monitored = judgement.clientMonitor ? ',"client_monitor":true' : '';
  const leftOut = findings.length > MAX_FINDINGS ? `,"findings_left_out":${findings.length - MAX_FINDINGS}` : '';
  return (
    `{"v":${SNAPSHOT_VERSION},"clock":"${new Date(nowMs).toISOString()}"${monitored},"makers":${makersText(policy)}` +
    `,"texts":${sizesText(call)},"stages":[${recorded.join(',')}],"findings":${placesText(call, findings)}${leftOut}` +
    (repair === undefined ? '}' : `,"repair":${repairText(repair)}}`)
  );
}

function sizesText({ segments }: DecodedCall): string {
  let chars = 0;
  for (const { text } of segments) chars += text.length;
  return `{"count":${segments.length},"chars":${chars}}`;
}

function placesText({ segments }: DecodedCall, findings: readonly LocatedFinding[]): string {
  if (findings.length === 0) return '[]';
  const places = findings.slice(0, MAX_FINDINGS).map(({ detector, code, segment, start, end, score }) => ({
    ...{ detector, code, path: segments[segment]!.path },
    ...{ start, end, score },
  }));
  return JSON.stringify(places);
}

function repairText({ mode, dropped, count }: NonNullable<CallJudgement['repair']>): string {
  return JSON.stringify({ mode, dropped, count });
}
