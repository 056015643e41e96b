import { refuses } from '../../core/model/actions.js';
import type { Decision } from '../../core/model/decision.js';
import type { LocatedFinding } from '../../core/model/finding.js';
import { applyEdits, maskAll, type Edit } from '../../core/redaction/index.js';
import type { OfflineJudgement } from './offline-judge.js';

/** The replacement of a finding in a displayed text. */
export interface ShownMask {
  readonly path: string;
  /** In the shown text, UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly entity: string;
  readonly detector: string;
  /** The same number: the same value; null where the replacement does not tell. */
  readonly n: number | null;
}

export interface ShownTexts {
  readonly texts: readonly { readonly path: string; readonly text: string }[];
  readonly masks: readonly ShownMask[];
}

/**
 * The texts of a judged call as they may be shown: masked as the rules say; of a call that is refused, and of a turn
 * that is taken out, with every finding masked, since nothing of it goes anywhere. What nothing was found in stands as it was sent.
 */
export function shownTexts({ decision, outcomes, texts, edits }: OfflineJudgement): ShownTexts {
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  const segments = texts.map(({ path, original }) => ({ path, text: original }));
  const isRefused = refuses(decision.action);
  const isKept = ({ segment }: Edit): boolean => isRefused || texts[segment]?.dropped === true;
  // What goes nowhere is shown with all that was found in it masked.
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

/** The longest finding in the place of an edit: it gave the edit its name. */
function namedBy({ segment, start, end }: Edit, findings: readonly LocatedFinding[]): LocatedFinding {
  const inside = findings.filter((one) => one.segment === segment && one.start < end && one.end > start);
  const [longest] = inside.sort((a, b) => b.end - b.start - (a.end - a.start) || b.score - a.score);
  return longest ?? { segment, start, end, code: 'UNKNOWN', detector: '', score: 0 };
}

/** Where a rule's replacement bears a number, different replacements of one kind are different values, in reading order. */
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
