import type { DecodedCall, FiredRule, LocatedFinding, Violation } from '../core/index.js';

const MAX_LOCATIONS = 20;

/**
 * What a client is told about the rules that fired: rule, place and number, never text. Rules that fired only because
 * a fact was missing are left out: an outage is not a violation.
 */
export function violationsOf(
  fired: readonly FiredRule[],
  call: DecodedCall,
  findings: readonly LocatedFinding[],
  spared: ReadonlySet<LocatedFinding> = new Set(),
): Violation[] {
  return fired.filter((rule) => !rule.unavailable).map((rule) => violationOf(rule, call, findings, spared));
}

function violationOf(
  rule: FiredRule,
  call: DecodedCall,
  findings: readonly LocatedFinding[],
  spared: ReadonlySet<LocatedFinding>,
): Violation {
  const toolCall = rule.toolCall === undefined ? undefined : call.newToolCalls[rule.toolCall];
  const scope = toolCall === undefined ? undefined : new Set(toolCall.segments);
  const speaking = findings.filter(
    (finding) =>
      (scope === undefined || scope.has(finding.segment)) &&
      (rule.action !== 'redact' || !rule.enforced || !spared.has(finding)) &&
      (rule.isSpared !== true || spared.has(finding)) &&
      rule.evidence.some(
        ({ detector, codes }) => detector === finding.detector && (codes === 'all' || codes.includes(finding.code)),
      ),
  );
  const paths = [
    ...new Set([...(rule.locations ?? []), ...speaking.map((finding) => call.segments[finding.segment]!.path)]),
  ];
  if (toolCall !== undefined && paths.length === 0) paths.push(toolCall.path);
  const detector = speaking[0]?.detector;
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
    ...(speaking.length === 0 ? {} : { count: speaking.length }),
  };
}
