import fc from 'fast-check';
import { compilePatterns } from './compile-patterns.js';
import type { Pattern } from './pattern.js';
import { SharedReading } from './shared-reading.js';
import { JointWords } from './word-index.js';
import { ticket } from './testdata/ticket.js';

const year: Pattern<'YEAR'> = {
  code: 'YEAR',
  regex: /\d{4}(?!\d)/,
  trigger: { on: 'token', token: 'digit' },
  score: 0.4,
  against: { words: ['case', 'version'] },
};
const host: Pattern<'HOST'> = {
  code: 'HOST',
  regex: /(?<![a-z])[a-z]{1,8}-\d{1,4}/,
  trigger: { on: 'literals', literals: ['-', 'tk-'], before: 8 },
  score: 0.8,
  context: { words: ['case', 'host'] },
  keys: ['machine'],
};

/** Joint words that record the texts in which they are searched for. */
class WatchedWords extends JointWords {
  readonly texts: string[] = [];

  override read(text: string): ReturnType<JointWords['read']> {
    this.texts.push(text);
    return super.read(text);
  }
}

const codes = new Set(['TICKET', 'YEAR', 'HOST']);
const sets: readonly (readonly Pattern[])[] = [[ticket], [year, ticket], [host]];
const alone = sets.map((patterns) => compilePatterns(patterns, { codes }));
function together(): { words: WatchedWords; scans: typeof alone } {
  const words = new WatchedWords();
  return { words, scans: sets.map((patterns) => compilePatterns(patterns, { codes, words })) };
}

describe('The shared reading of a text', () => {
  it('reads the words of the text once for any number of scans', () => {
    const { words, scans } = together();
    const text = 'case TK-1234 of 2024 on host web-7';
    const shared = new SharedReading(text);
    expect(scans.map((scan) => scan(text, {}, shared).length)).toEqual([1, 1, 1]);
    expect(words.texts).toEqual([text]);
  });

  it('uses the normalised text if normalising changes the text, and reads the key once', () => {
    const { words, scans } = together();
    const text = 'T\u041a-１２３４';
    const shared = new SharedReading(text);
    for (const scan of scans) scan(text, { key: 'machine' }, shared);
    expect(words.texts).toEqual(['TK-1234', 'machine']);
  });

  it('is not used for another text', () => {
    const { scans } = together();
    const shared = new SharedReading('nothing in here');
    expect(scans[0]!('TK-1234', {}, shared)).toEqual(alone[0]!('TK-1234', {}));
  });

  it('does not change any findings', () => {
    const { scans } = together();
    const piece = fc.constantFrom(
      ...['TK-', 'tk-12', '1234', 'web-7', 'case', 'Case Number ', 'caseNumber', 'version ', 'host', ' ', '-', '. '],
      ...['é', '\u200b', '１', 'Т', '\\n', '"machine": ', 'x'],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.constantFrom('machine', 'case_number', 'x', ''),
        (pieces, key) => {
          const text = pieces.join('');
          const hint = key === '' ? {} : { key };
          const shared = new SharedReading(text);
          for (const [index, scan] of scans.entries())
            expect(scan(text, hint, shared)).toEqual(alone[index]!(text, hint));
        },
      ),
    );
  });

  it('includes a set of patterns that is compiled after the first text was read', () => {
    const words = new JointWords();
    const first = compilePatterns([ticket], { codes, words });
    const read = (text: string): SharedReading => new SharedReading(text);
    expect(first('TK-1234', {}, read('TK-1234'))).toHaveLength(1);
    const second = compilePatterns([host], { codes, words });
    const shared = read('web-7 TK-1234');
    expect([first, second].map((scan) => scan('web-7 TK-1234', {}, shared).length)).toEqual([1, 1]);
  });

  it('rejects an empty word when a detector adds it, so that only this detector fails', () => {
    const empty: Pattern = { ...ticket, context: { words: [''] } };
    expect(() => compilePatterns([empty], { codes, words: new JointWords() })).toThrow('a keyword is empty');
  });
});
