import type { DecodedCall, ToolCall } from '../model/call.js';
import type { LocatedFinding } from '../model/finding.js';
import { filtered, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { JudgedStage } from './judgement.js';

/** Returns the findings that rules mask. Rules of stage `tool` mask only within the call for which they were evaluated. */
export function* maskedBy(
  stages: readonly JudgedStage[],
  findings: readonly LocatedFinding[],
  call: DecodedCall,
): Steps<readonly LocatedFinding[]> {
  const masking = stages.filter(({ decision }) => decision.redact.length > 0);
  const [only, ...others] = masking;
  // The usual case, with one pass over the findings.
  if (only !== undefined && others.length === 0 && only.toolCall === undefined) {
    const targets = targetsOf(only.decision);
    return yield* filtered(findings, ({ detector, code }) => targets.get(detector)?.has(code) === true);
  }
  const wanted = new Set<LocatedFinding>();
  let seen = 0;
  let grouped: BySegment | undefined;
  for (const { decision, toolCall } of masking) {
    const targets = targetsOf(decision);
    if (targets.size === 0) continue;
    const judgedCall = toolCall === undefined ? undefined : call.newToolCalls[toolCall];
    const some =
      judgedCall === undefined
        ? findings
        : within(everyOccurrence(judgedCall), findings, (grouped ??= yield* groupedBySegment(findings)));
    for (const finding of some) {
      if (targets.get(finding.detector)?.has(finding.code) === true) wanted.add(finding);
      if (++seen % THINGS_BETWEEN_STOPS === 0) yield;
    }
  }
  return [...wanted];
}

/** The texts of a call, and those with which a stream repeats them. */
function everyOccurrence({ segments, repeats = [] }: ToolCall): Pick<ToolCall, 'segments'> {
  return { segments: [...segments, ...repeats] };
}

/** For each segment, the indices of its findings in the list of all findings. */
export type BySegment = ReadonlyMap<number, readonly number[]>;

export function* groupedBySegment(findings: readonly LocatedFinding[]): Steps<BySegment> {
  const groups = new Map<number, number[]>();
  for (const [index, { segment }] of findings.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const group = groups.get(segment);
    if (group === undefined) groups.set(segment, [index]);
    else group.push(index);
  }
  return groups;
}

/** The findings in a tool call, in their original order. */
export function within(
  { segments }: Pick<ToolCall, 'segments'>,
  findings: readonly LocatedFinding[],
  bySegment: BySegment,
): LocatedFinding[] {
  const own = [...new Set(segments)].flatMap((segment) => bySegment.get(segment) ?? []);
  return own.sort((a, b) => a - b).map((index) => findings[index]!);
}

/** The codes to mask, by detector. */
function targetsOf({ redact }: JudgedStage['decision']): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, Set<string>>();
  for (const { detector, code } of redact.flatMap((spec) => spec.targets)) {
    const codes = targets.get(detector) ?? new Set();
    targets.set(detector, codes.add(code));
  }
  return targets;
}
