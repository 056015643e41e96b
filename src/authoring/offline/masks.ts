import { refuses } from '../../core/model/actions.js';
import type { Decision } from '../../core/model/decision.js';
import type { LocatedFinding } from '../../core/model/finding.js';
import { applyEdits, maskAll, type Edit } from '../../core/redaction/index.js';
import type { OfflineJudgement } from './offline-judge.js';

/** The replacement of a finding in a displayed text. */
export interface ShownMask {
  readonly path: string;
  /** Range in the displayed text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly entity: string;
  readonly detector: string;
  /** Equal numbers mean equal values; null if the replacement does not show this. */
  readonly n: number | null;
}

export interface ShownTexts {
  readonly texts: readonly { readonly path: string; readonly text: string }[];
  readonly masks: readonly ShownMask[];
}

/**
 * The texts of a judged call for display, masked according to the rules. In a refused call, or a removed turn, every finding is masked,
 * because these texts are not sent. Texts without findings are unchanged.
 */
export function shownTexts({ decision, outcomes, texts, edits }: OfflineJudgement): ShownTexts {
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  const segments = texts.map(({ path, original }) => ({ path, text: original }));
  const isRefused = refuses(decision.action);
  const isKept = ({ segment }: Edit): boolean => isRefused || texts[segment]?.dropped === true;
  // Texts that are not sent are displayed with every finding masked.
  const all = isRefused || texts.some(({ dropped }) => dropped) ? maskAll(findings, segments as never) : [];
  const made = [...all.filter(isKept), ...edits.filter((edit) => !isKept(edit))];
  const number = numbersOf(decision);
  const masks: ShownMask[] = [];
  const shown = texts.map(({ path, original }, segment) => {
    const own = made.filter((edit) => edit.segment === segment).sort((a, b) => a.start - b.start);
    let moved = 0;
    for (const edit of own) {
      const start = edit.start + moved;
      const { code, detector } = namedBy(edit, findings);
      const n = isKept(edit) ? null : number(detector, code, edit.replacement);
      masks.push({ path, start, end: start + edit.replacement.length, entity: code, detector, n });
      moved += edit.replacement.length - (edit.end - edit.start);
    }
    return { path, text: applyEdits(original, own) };
  });
  return { texts: shown, masks };
}

/** The longest finding that overlaps an edit: the edit is named after it. */
function namedBy({ segment, start, end }: Edit, findings: readonly LocatedFinding[]): LocatedFinding {
  const inside = findings.filter((one) => one.segment === segment && one.start < end && one.end > start);
  const [longest] = inside.sort((a, b) => b.end - b.start - (a.end - a.start) || b.score - a.score);
  return longest ?? { segment, start, end, code: 'UNKNOWN', detector: '', score: 0 };
}

/**
 * Numbers the values of each code in text order. Only possible if the rule's replacement contains `{n}`, so that different values have
 * different replacements.
 */
function numbersOf({ redact }: Decision): (detector: string, code: string, replacement: string) => number | null {
  const seen = new Map<string, string[]>();
  return (detector, code, replacement) => {
    const spec = redact.find(({ targets }) => targets.some((one) => one.detector === detector && one.code === code));
    if (spec === undefined || spec.tokens === 'stable' || !spec.with.includes('{n}')) return null;
    const known = seen.get(code) ?? [];
    seen.set(code, known);
    if (!known.includes(replacement)) known.push(replacement);
    return known.indexOf(replacement) + 1;
  };
}
