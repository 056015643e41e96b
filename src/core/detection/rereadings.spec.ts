import type { Segment } from '../model/call.js';
import type { DetectorOutcome } from '../model/finding.js';
import { atOnce } from '../steps/steps.js';
import { leavingOutRepeats } from './rereadings.js';

const FOUND = /[\w-]+@[\w.]+/g;

/** The outcome of a detector of e-mail addresses for these texts. */
function outcomeOf(segments: readonly Segment[]): DetectorOutcome {
  const findings = segments.flatMap(({ text }, segment) =>
    [...text.matchAll(FOUND)].map(({ index, 0: value }) => ({
      ...{ segment, start: index, end: index + value.length, score: 1 },
      ...{ detector: 'pii', code: 'EMAIL' },
    })),
  );
  return { detector: 'pii', plugin: 'pii', revision: 1, status: 'scanned', findings };
}

const source = (text: string): Segment => ({ path: 'file', role: 'user', text, ref: 0 });
const shown = (text: string, rereads: string): Segment => ({
  ...{ path: 'file', role: 'user', text, ref: -1 },
  ...{ fixed: true, rereads },
});

function leftOf(segments: readonly Segment[], outcome: DetectorOutcome = outcomeOf(segments)): number {
  const [left] = atOnce(leavingOutRepeats([outcome], segments));
  return left?.status === 'scanned' ? left.findings.length : -1;
}

describe('A finding in a text that was derived from another text', () => {
  const page = '<p>ann@example.org</p>';

  it('is left out if masking the original text removes the finding as well', () => {
    expect(leftOf([source(page), shown('ann@example.org', page)])).toBe(1);
  });

  it('is kept if its value is not in the original text, or occurs in a further text without a finding', () => {
    const hidden = '<p>ann&#64;example.org</p>';
    expect(leftOf([source(hidden), shown('ann@example.org', hidden)])).toBe(1);
    const segments = [source(page), source('mailto: ann@example.org'), shown('ann@example.org', page)];
    expect(leftOf(segments)).toBe(2);
    const outcome = outcomeOf(segments);
    const unseen = {
      ...outcome,
      findings: outcome.status === 'scanned' ? outcome.findings.filter(({ segment }) => segment !== 1) : [],
    };
    expect(leftOf(segments, unseen as DetectorOutcome)).toBe(2);
  });

  it('is compared in steps for pages with many values', () => {
    const values = Array.from({ length: 30_000 }, (_, index) => `person-${index}@example.org`);
    const long = `<p>${values.join('</p><p>')}</p>`;
    const segments = [source(long), shown(values.join('\n'), long)];
    const steps = leavingOutRepeats([outcomeOf(segments)], segments);
    let stops = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stops++;
    expect(stops).toBeGreaterThanOrEqual(200);
    expect(step.value[0]).toMatchObject({ findings: { length: values.length } });
  });
});
