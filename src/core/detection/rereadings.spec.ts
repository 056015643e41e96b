import type { Segment } from '../model/call.js';
import type { DetectorOutcome } from '../model/finding.js';
import { atOnce } from '../steps/steps.js';
import { leavingOutRepeats } from './rereadings.js';

const FOUND = /[\w-]+@[\w.]+/g;

/** What a detector of addresses finds in each of some texts. */
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

describe('What is found in another reading of a text', () => {
  const page = '<p>ann@example.org</p>';

  it('is left out where masking the text itself does away with it', () => {
    expect(leftOf([source(page), shown('ann@example.org', page)])).toBe(1);
  });

  it('stays where the text does not show it, or where it stands once more and nobody found it', () => {
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

  it('is told apart in steps, however many values a page shows', () => {
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
