import type { DecodedCall } from '../model/call.js';
import type { FiredRule, Violation } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import { filtered, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import { groupedBySegment, within, type BySegment } from './masked-by.js';

const MAX_LOCATIONS = 20;

/** Findings of one detector and code. */
interface Kind {
  readonly detector: string;
  readonly code: string;
  count: number;
  /** Index of the first finding of this kind among all findings. */
  readonly first: number;
  /** The first distinct paths, each with the index of its first finding. */
  readonly paths: Map<string, number>;
}

/**
 * The report to a client about the rules that fired: rule, paths and counts, never text. Rules that fired only because a fact was
 * missing are left out: an outage is not a violation.
 *
 * Findings are counted once for all rules, because a call may have one per word and a policy thousands of rules.
 */
export function* violationsOf(
  fired: readonly FiredRule[],
  call: DecodedCall,
  findings: readonly LocatedFinding[],
  spared: ReadonlySet<LocatedFinding> = new Set(),
): Steps<Violation[]> {
  const reported = fired.filter((rule) => !rule.unavailable);
  const isScoped = reported.some(({ toolCall }) => toolCall !== undefined);
  const bySegment: BySegment = isScoped ? yield* groupedBySegment(findings) : new Map<number, number[]>();
  const known = new Map<string, readonly Kind[]>();
  const violations: Violation[] = [];
  for (const rule of reported) {
    const toolCall = rule.toolCall === undefined ? undefined : call.newToolCalls[rule.toolCall];
    const reports = reportedBy(rule, spared.size > 0);
    const key = `${toolCall === undefined ? '' : rule.toolCall} ${reports}`;
    let kinds = known.get(key);
    if (kinds === undefined) {
      const own = toolCall === undefined ? findings : within(toolCall, findings, bySegment);
      const left =
        reports === 'all' ? own : yield* filtered(own, (finding) => spared.has(finding) === (reports === 'spared'));
      kinds = yield* kindsOf(left, call);
      known.set(key, kinds);
    }
    violations.push(violationOf(rule, call, kinds));
    yield;
  }
  return violations;
}

/** Which findings a rule reports: only those that the policy spares, only the others, or all. */
function reportedBy({ action, enforced, isSpared }: FiredRule, isAnySpared: boolean): 'spared' | 'left' | 'all' {
  if (isSpared === true) return 'spared';
  return isAnySpared && action === 'redact' && enforced ? 'left' : 'all';
}

function* kindsOf(findings: readonly LocatedFinding[], { segments }: DecodedCall): Steps<readonly Kind[]> {
  const byDetector = new Map<string, Map<string, Kind>>();
  for (const [index, { detector, code, segment }] of findings.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const codes = byDetector.get(detector) ?? new Map<string, Kind>();
    byDetector.set(detector, codes);
    const kind = codes.get(code) ?? { detector, code, count: 0, first: index, paths: new Map<string, number>() };
    codes.set(code, kind);
    kind.count++;
    if (kind.paths.size >= MAX_LOCATIONS) continue;
    const { path } = segments[segment]!;
    if (!kind.paths.has(path)) kind.paths.set(path, index);
  }
  return [...byDetector.values()].flatMap((codes) => [...codes.values()]);
}

function violationOf(rule: FiredRule, call: DecodedCall, kinds: readonly Kind[]): Violation {
  const toolCall = rule.toolCall === undefined ? undefined : call.newToolCalls[rule.toolCall];
  const speaking = kinds
    .filter((kind) =>
      rule.evidence.some(
        ({ detector, codes }) => detector === kind.detector && (codes === 'all' || codes.includes(kind.code)),
      ),
    )
    .sort((a, b) => a.first - b.first);
  const found = speaking.flatMap((kind) => [...kind.paths]).sort(([, a], [, b]) => a - b);
  const paths = [...new Set([...(rule.locations ?? []), ...found.map(([path]) => path)])];
  if (toolCall !== undefined && paths.length === 0) paths.push(toolCall.path);
  const detector = speaking[0]?.detector;
  const count = speaking.reduce((sum, kind) => sum + kind.count, 0);
  return {
    rule: rule.rule,
    policy: rule.policy,
    category: rule.category,
    severity: rule.severity,
    action: rule.action,
    enforced: rule.enforced,
    message: rule.message,
    ...(detector === undefined ? {} : { detector }),
    ...(paths.length === 0 ? {} : { locations: paths.slice(0, MAX_LOCATIONS) }),
    ...(count === 0 ? {} : { count }),
  };
}
