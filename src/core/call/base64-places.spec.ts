import fc from 'fast-check';
import { filesIn } from './base64-places.js';

/** All beginnings in one pattern: what is meant, though slower. */
const FILE =
  /(?<![A-Za-z0-9+/_=-])(?:JVBERi0|UEsDB|0M8R4KGx|H4sI|e1xydG|PCFET0NUWVBF|PCFkb2N0eXBl|PGh0bWw|PD94bWwg)[A-Za-z0-9+/_-]{40,}={0,2}/g;
const part = fc.oneof(
  fc.constantFrom(
    'JVBERi0',
    'UEsDB',
    '0M8R4KGx',
    'H4sI',
    'e1xydG',
    'PCFET0NUWVBF',
    'PCFkb2N0eXBl',
    'PGh0bWw',
    'PD94bWwg',
  ),
  fc.constantFrom('"', ' ', ':', '=', '==', 'ß', '-', 'a'),
  fc.integer({ min: 30, max: 50 }).map((length) => 'QmFz'.repeat(13).slice(0, length)),
);

describe('Files in base64 inside a text', () => {
  it('are found wherever one begins, and end where base64 ends', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const meant = [...text.matchAll(FILE)].map(({ index, 0: found }) => ({
          start: index,
          end: index + found.length,
        }));
        expect(filesIn(text)).toEqual(text.length < 64 ? [] : meant);
      }),
      { numRuns: 2_000 },
    );
  });
});
