import fc from 'fast-check';
import { factsOfFindings } from './build-facts.js';
import { FindingTallies } from './finding-tally.js';

const finding = fc.record({
  detector: fc.constantFrom('marks', 'secrets'),
  code: fc.constantFrom('TICKET', 'MAIL', 'PIN'),
  score: fc.constantFrom(0, 0.2, 0.5, 0.9, 1),
});
/** Findings that arrive, and the positions of arrived ones that no longer count. */
const sequence = fc.array(fc.oneof(finding, fc.nat({ max: 40 })), { maxLength: 60 });

describe('the facts of findings that arrive one after the other', () => {
  it('are those of all findings at once, after each step', () => {
    fc.assert(
      fc.property(sequence, (steps) => {
        const tallies = new FindingTallies();
        const counted: (typeof finding extends fc.Arbitrary<infer Found> ? Found : never)[] = [];
        for (const step of steps) {
          if (typeof step === 'object') {
            tallies.add(step);
            counted.push(step);
          } else {
            const [removed] = counted.splice(step % Math.max(1, counted.length), 1);
            if (removed !== undefined) tallies.remove(removed);
          }
          for (const detector of ['marks', 'secrets', 'another'])
            expect(tallies.factsOf(detector)).toEqual(
              factsOfFindings(counted.filter((each) => each.detector === detector)),
            );
        }
      }),
    );
  });
});
