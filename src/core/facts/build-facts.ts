import type { DecodedCall, JsonValue, ToolCall } from '../model/call.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import type { BoundStructure } from '../detection/bind-structures.js';
import type { BudgetLedger } from '../detection/ledger.js';
import type { Once, StructureContext } from '../detection/structure.js';
import { atOnce, filtered, joinedLists, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { Environment } from '../model/compiled-policy.js';
import { Unknown, type FactSet, type FactValue } from '../model/fact.js';
import { SESSIONS, type SessionHistory } from '../model/session.js';

/** Data about the caller and the call for facts that need no detector. */
export interface CallContext {
  readonly environment: Environment;
  readonly declaredEnvironment: Environment;
  readonly app: { readonly id: string; readonly name: string };
  readonly key: { readonly id: string; readonly name: string };
  readonly provider?: string;
  readonly model?: string;
  readonly sessionId?: string;
  /** If the call belongs to an unknown session: the missing source, as reported in `missing`. */
  readonly sessionMissing?: string;
  readonly metadata?: { readonly [key: string]: JsonValue };
}

export interface FactInput {
  readonly context: CallContext;
  readonly call: DecodedCall;
  /** At stage `tool`: the judged tool call. */
  readonly toolCall?: ToolCall;
  /** For an answer: its request, if known. */
  readonly request?: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
  readonly structures: readonly BoundStructure[];
  /** The used and reserved amounts of budgets. */
  readonly ledger: BudgetLedger;
  /** The earlier steps of the session, or why they are unknown. */
  readonly session?: SessionHistory | Unknown;
  /** Cache of results shared by several tool calls of one answer. */
  readonly once?: Once;
}

/**
 * The facts that the rules of one stage can read. Never rejects: an unavailable fact is an `Unknown`. Pure: the same input leads to the
 * same facts in the server, the CLI and a backtest.
 */
export function buildFacts(input: FactInput): FactSet {
  return atOnce(buildingFacts(input));
}

/** Like `buildFacts`, but in steps. */
export function* buildingFacts(input: FactInput): Steps<FactSet> {
  const facts = contextFacts(input);
  if (input.request === undefined && input.toolCall === undefined) {
    const { longest, chars, messages } = yield* sizesOf(input.call);
    facts['request'] = { ...limitFacts(input.call), chars, messages };
    facts['text'] = { length: longest };
  }
  const context = structureContext(input);
  for (const structure of input.structures) Object.assign(facts, structureFacts(structure, input, context));
  for (const outcome of input.outcomes) facts[outcome.detector] = yield* detectorFacts(outcome);
  return facts;
}

function contextFacts({ context, call, request }: FactInput): Record<string, FactValue> {
  const sources = context.metadata?.['sources'];
  return {
    environment: context.environment,
    declared_environment: context.declaredEnvironment,
    app: { id: context.app.id, name: context.app.name },
    key: { id: context.key.id, name: context.key.name },
    provider: context.provider ?? null,
    model: { name: context.model ?? null },
    session: { id: context.sessionId ?? null },
    metadata: context.metadata ?? {},
    context: { sources: isStringList(sources) ? [...sources] : null },
    request: limitFacts(request ?? call),
  };
}

function limitFacts({ maxTokens, stream }: DecodedCall) {
  return { max_tokens: maxTokens ?? null, stream };
}

/** The size of a request. Not computed for answers, because it needs a pass over all texts. */
function* sizesOf({ segments, pastToolCalls, pastToolResults, embedded = [], contents }: DecodedCall): Steps<{
  readonly chars: number;
  readonly longest: number;
  readonly messages: number;
}> {
  let [chars, longest, seen, isPrompt] = [0, 0, 0, false];
  for (const { text, role } of segments) {
    if (++seen % THINGS_BETWEEN_STOPS === 0) yield;
    chars += text.length;
    longest = Math.max(longest, text.length);
    isPrompt ||= role === 'user';
  }
  const messages = new Set<string>();
  for (const list of [
    segments,
    pastToolCalls,
    pastToolResults,
    embedded,
    contents?.media ?? [],
    contents?.unread ?? [],
  ]) {
    for (const { path } of list) {
      if (++seen % THINGS_BETWEEN_STOPS === 0) yield;
      const place = MESSAGE.exec(path)?.[0];
      if (place !== undefined) messages.add(place);
    }
  }
  return { chars, longest, messages: messages.size > 0 ? messages.size : isPrompt ? 1 : 0 };
}

/** Matches the path of a message in requests of all providers. */
const MESSAGE = /^(?:messages|contents|input)\[\d{1,9}\]/;

function isStringList(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Maximum number of new tool calls of one answer that are judged with structure plugins. Each is compared with the whole conversation,
 * so an answer with far more calls than usual would delay other calls.
 */
export const MAX_READ_TOOL_CALLS = 256;

/** The missing source for the tool calls beyond `MAX_READ_TOOL_CALLS`. */
export const TOOL_CALL_LIMIT = 'tool_call_limit';

/** The structures for tool calls beyond `MAX_READ_TOOL_CALLS`: their facts are unknown, so `on_unknown` decides. */
export function withoutReading(structures: readonly BoundStructure[]): BoundStructure[] {
  return structures.map((structure) =>
    structure.reads === 'call' ? { ...structure, read: () => unknownFacts(structure, TOOL_CALL_LIMIT) } : structure,
  );
}

function structureFacts(structure: BoundStructure, input: FactInput, context: StructureContext): FactSet {
  try {
    return structure.read(input.call, context, input.ledger);
  } catch {
    return unknownFacts(structure, structure.id);
  }
}

function unknownFacts({ roots }: BoundStructure, source: string): FactSet {
  return Object.fromEntries(roots.map((root) => [root, new Unknown('failed', source)]));
}

function structureContext({ toolCall, request, session, context, once }: FactInput): StructureContext {
  return {
    ...(toolCall === undefined ? {} : { toolCall }),
    ...(request === undefined ? {} : { request }),
    session: session ?? unknownSession(context),
    ...(once === undefined ? {} : { once }),
  };
}

/** Why the session history is unknown: it was not loaded, or the call names no session. */
function unknownSession({ sessionId, sessionMissing = SESSIONS.unnamed }: CallContext): Unknown {
  return new Unknown('unavailable', sessionId === undefined ? sessionMissing : 'session');
}

function* detectorFacts(outcome: DetectorOutcome): Steps<FactValue> {
  return outcome.status === 'failed'
    ? new Unknown(outcome.reason, outcome.detector)
    : yield* countedFindings(outcome.findings);
}

/** `types`, `count`, `score`, `counts`: `count` is 0 exactly when `types` is empty, and then `score` is 0. */
export function factsOfFindings(findings: readonly CodeAndScore[]): FindingFacts {
  return atOnce(countedFindings(findings));
}

interface CodeAndScore {
  readonly code: string;
  readonly score: number;
}

/** The facts of the findings of one detector. */
export type FindingFacts = {
  readonly types: readonly string[];
  readonly count: number;
  readonly score: number;
  readonly counts: Readonly<Record<string, number>>;
};

/** The facts of a detector without findings; the same object in every call. */
export const NOTHING_FOUND: FindingFacts = Object.freeze({
  types: Object.freeze([]),
  count: 0,
  score: 0,
  counts: Object.freeze({}),
});

function* countedFindings(findings: readonly CodeAndScore[]): Steps<FindingFacts> {
  if (findings.length === 0) return NOTHING_FOUND;
  const counts = new Map<string, number>();
  let highest = 0;
  for (let index = 0; index < findings.length; index++) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const { code, score } = findings[index]!;
    counts.set(code, (counts.get(code) ?? 0) + 1);
    highest = Math.max(highest, score);
  }
  return {
    types: [...counts.keys()].sort(),
    count: findings.length,
    score: highest,
    counts: Object.fromEntries(counts),
  };
}

/**
 * The outcomes for judging one new tool call: findings in the tool call and in the request. A detector that failed for one of the two is
 * unknown.
 */
export function outcomesForToolCall(
  toolCall: ToolCall,
  outcomes: readonly DetectorOutcome[],
  requestOutcomes: readonly DetectorOutcome[],
): DetectorOutcome[] {
  return atOnce(scopingOutcomes(toolCall, outcomes, requestOutcomes));
}

/** Like `outcomesForToolCall`, but in steps. */
export function* scopingOutcomes(
  toolCall: ToolCall,
  outcomes: readonly DetectorOutcome[],
  requestOutcomes: readonly DetectorOutcome[],
): Steps<DetectorOutcome[]> {
  const own = new Set(toolCall.segments);
  const scoped: DetectorOutcome[] = [];
  for (const outcome of outcomes) {
    const before = requestOutcomes.find((candidate) => candidate.detector === outcome.detector);
    if (outcome.status === 'failed') scoped.push(outcome);
    else if (before?.status === 'failed') scoped.push(before);
    else {
      const findings: LocatedFinding[] = yield* filtered(outcome.findings, ({ segment }) => own.has(segment));
      scoped.push({ ...outcome, findings: joinedLists([before?.findings ?? [], findings]) });
    }
  }
  return scoped;
}
