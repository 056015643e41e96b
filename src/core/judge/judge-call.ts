import { masksTexts, refuses } from '../model/actions.js';
import type { DecodedCall } from '../model/call.js';
import type { Decision, RedactSpec, Violation } from '../model/decision.js';
import {
  masksFixed,
  NOTHING_SPARED,
  refusingSigned,
  sparedOf,
  sparing,
  UNMASKABLE_REFUSAL,
} from '../decision/unmaskable.js';
import { factsAt } from '../decision/policy-runtime.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import { planningRedaction, type RedactionPlan } from '../redaction/plan-redaction.js';
import { filtered, joinedLists, runInTurnsIfNeeded, type Steps } from '../steps/steps.js';
import { withoutBlockedHistory } from './blocked-history.js';
import type { CallJudgement, CallReading, CallToJudge, JudgedStage, JudgeHost } from './judgement.js';
import { judgeStage } from './judge-stage.js';
import { maskedBy } from './masked-by.js';
import { preventedNothing, mergeDecisions } from './merge-decisions.js';
import { readCall } from './read-call.js';
import { violationsOf } from './violations.js';

/** Number of evaluations between two yields to the event loop, for answers with many tool calls. */
const STAGES_IN_ONE_PIECE = 8;

/**
 * Judges one call: scan, facts, stages, repair of the history, redaction, one verdict. The server, the commands and policy tests all
 * use this function and differ only in the input.
 *
 * It never rejects because of a detector or a rule: a failure is part of the judgement.
 *
 * @param reading the outcomes and facts of the call if it was already read; otherwise it is read now
 */
export async function judgeCall(input: CallToJudge, host: JudgeHost, reading?: CallReading): Promise<CallJudgement> {
  const judgement = await judgeReading(input, reading ?? (await readCall(input, host)), host);
  if (!refuses(judgement.action)) return judgement;
  const judgeLeft = async (left: CallToJudge): Promise<CallJudgement> =>
    judgeReading(left, await readCall(left, host), host);
  return (await withoutBlockedHistory(input, judgement, judgeLeft)) ?? judgement;
}

async function judgeReading(input: CallToJudge, reading: CallReading, host: JudgeHost): Promise<CallJudgement> {
  const { policy, call, enforceable } = input;
  const { outcomes } = reading;
  const clientMonitor = input.monitorRequested && policy.policy.clientMonitorMode === 'honor';
  const stages = await evaluateStages(input, reading, clientMonitor, host);
  const findings = findingsOf(outcomes);
  const inSteps = <Result>(steps: Steps<Result>): Promise<Result> | Result => runInTurnsIfNeeded(steps, host.turns);
  const decided = mergeDecisions(stages.map(({ decision }) => decision));
  const isMasking = enforceable && findings.length > 0 && decided.redact.length > 0;
  const masked = isMasking ? await inSteps(maskedBy(stages, findings, call)) : [];
  const spared = masked.length === 0 ? NOTHING_SPARED : await inSteps(sparedOf(policy.policy, masked, call));
  const inSigned = masked.length === 0 ? decided : await inSteps(refusingSigned(decided, masked, spared, call));
  const merged = spared.size === 0 ? inSigned : await inSteps(sparing(inSigned, masked, spared));
  const fired = enforceable ? merged.fired : merged.fired.map((rule) => ({ ...rule, enforced: false }));
  const left = spared.size === 0 ? masked : await inSteps(filtered(masked, (finding) => !spared.has(finding)));
  const redaction = enforceable && masksTexts(merged.action) ? await planFor(stages, left, call, host) : NO_REDACTION;
  const judgement: CallJudgement = {
    action: enforceable ? merged.action : 'allow',
    ...(enforceable && merged.reason !== undefined ? { reason: merged.reason } : {}),
    ...(enforceable && merged.answer !== undefined ? { answer: merged.answer } : {}),
    unavailable: enforceable && merged.unavailable,
    missing: merged.missing,
    fired,
    excepted: enforceable && !refuses(merged.action) ? decided.excepted : decided.excepted.map(preventedNothing),
    violations: fired.length === 0 ? [] : await inSteps(violationsOf(fired, call, findings, spared)),
    edits: redaction.edits,
    redactions: redaction.redactions,
    restorable: redaction.restorable,
    redact: merged.redact,
    masked: left,
    outcomes,
    findings,
    stages,
    clientMonitor,
    monitorIgnored: input.monitorRequested && !clientMonitor,
  };
  return masksFixed(redaction.edits, call.segments)
    ? {
        ...{ ...judgement, ...REFUSED_REDACTION },
        excepted: judgement.excepted.map(preventedNothing),
        violations: judgement.violations.map(explained(call)),
      }
    : judgement;
}

const NO_REDACTION: RedactionPlan = { edits: [], redactions: [], restorable: new Map() };

/** Used if a text to be masked is in an unchangeable place: the call is refused. */
const REFUSED_REDACTION = { ...UNMASKABLE_REFUSAL, ...NO_REDACTION } as const satisfies Partial<CallJudgement>;

async function evaluateStages(
  { policy: { policy } }: CallToJudge,
  reading: CallReading,
  clientMonitor: boolean,
  { nowMs, turns }: JudgeHost,
): Promise<JudgedStage[]> {
  const judged: JudgedStage[] = [];
  for (const read of reading.stages) {
    const facts = factsAt(policy, read.stage, read.facts, nowMs);
    judged.push({ ...read, facts, decision: await judgeStage(policy, { ...read, facts, nowMs, clientMonitor }) });
    if (judged.length % STAGES_IN_ONE_PIECE === 0) await turns?.pause();
  }
  return judged;
}

/**
 * Plans the masking by the stages' rules: rules of stage `post` mask the whole answer, a rule of stage `tool` only the judged tool call.
 */
async function planFor(
  stages: readonly JudgedStage[],
  findings: readonly LocatedFinding[],
  { segments }: DecodedCall,
  host: JudgeHost,
): Promise<RedactionPlan> {
  const specs = stages.flatMap(({ decision }): readonly RedactSpec[] => decision.redact);
  const hash = specs.some(({ tokens }) => tokens === 'stable') ? { hash: await host.hash() } : {};
  return runInTurnsIfNeeded(planningRedaction({ specs, findings, segments, ...hash }), host.turns);
}

/** Adds to a violation's message the first of its paths that could not be masked. */
function explained({ segments }: DecodedCall): (violation: Violation) => Violation {
  const fixed = new Set(segments.filter((segment) => segment.fixed === true).map(({ path }) => path));
  return (violation) => {
    const place = violation.action === 'redact' ? violation.locations?.find((path) => fixed.has(path)) : undefined;
    if (place === undefined) return violation;
    return { ...violation, message: `${violation.message} The value cannot be masked at this place: ${place}` };
  };
}

/** The findings of all detectors in one list. */
export function findingsOf(outcomes: readonly DetectorOutcome[]): readonly LocatedFinding[] {
  return joinedLists(outcomes.map((outcome) => (outcome.status === 'scanned' ? outcome.findings : [])));
}

/**
 * The verdict on a whole call in the form of one stage's decision. A condition evaluated for several tool calls is true if it was true
 * for any of them, else unknown if it was unknown for any.
 */
export function decisionOf(judgement: CallJudgement): Decision {
  const { action, reason, unavailable, missing, fired, redact, stages, repair } = judgement;
  const goingOn = (repair?.stages ?? stages).map(({ decision }) => decision);
  return {
    action,
    ...(reason === undefined ? {} : { reason }),
    ...{ unavailable, missing, fired, redact },
    exceptions: [...new Set(goingOn.flatMap(({ exceptions }) => exceptions))].sort(),
    excepted: goingOn.flatMap(({ excepted }) => excepted),
    leaves: leavesOf(stages),
  };
}

function leavesOf(stages: readonly JudgedStage[]): Decision['leaves'] {
  const [only, ...others] = stages;
  if (only !== undefined && others.length === 0) return only.decision.leaves;
  const leaves: Record<string, boolean | null> = {};
  for (const { decision } of stages) {
    for (const [name, truth] of Object.entries(decision.leaves)) {
      const known = leaves[name];
      if (known === undefined || truth === true || (truth === null && known === false)) leaves[name] = truth;
    }
  }
  return leaves;
}
