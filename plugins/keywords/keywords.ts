import {
  defineDetector,
  KeywordMatcher,
  MAX_CLUSTER_LENGTH,
  normalise,
  resolveOverlaps,
  SHADOW_STRETCH,
  withHiddenLetters,
  type Finding,
} from '../../src/core/plugin-api.js';
import { keywordOptions, MAX_WORD_UNITS, type KeywordOptions } from './keyword-lists.js';
import { inGroups, inOrder, isHit, normalisation, streamKeywords, type Keyword } from './stream-keywords.js';

/** The number of units around a match that normalisation and the word boundary examine. */
const AROUND = 80;
/** Finds the operator's own words, such as names of projects, customers or competitors listed in a policy. */
export const keywords = defineDetector<string, KeywordOptions>({
  meta: {
    id: 'keywords',
    version: '1.0.0',
    revision: 3,
    family: 'content',
    summary: 'Finds words and phrases that the policy lists.',
    codes: {},
    codesFrom: ({ lists }) =>
      Object.fromEntries(
        Object.entries(lists).map(([code, { title }]) => [
          code,
          { title: title ?? `A word of the list ${code}`, enabled: true, minScore: 0 },
        ]),
      ),
    reach: {
      behind: SHADOW_STRETCH * (AROUND + MAX_WORD_UNITS + MAX_CLUSTER_LENGTH),
      ahead: SHADOW_STRETCH * (AROUND + MAX_WORD_UNITS + MAX_CLUSTER_LENGTH),
    },
    options: keywordOptions,
    examples: [
      {
        text: 'Blue Harbor ships in May, said the blue harbor team',
        finds: [
          { code: 'PROJECT_NAME', text: 'Blue Harbor' },
          { code: 'PROJECT_NAME', text: 'blue harbor' },
        ],
        why: 'letter case is ignored unless the list is case-sensitive',
      },
      { text: 'Kestrels are birds', finds: [], why: 'a keyword inside a longer word is not found' },
      {
        text: 'Kes\u200btrel and Кestrel',
        finds: [
          { code: 'PROJECT_NAME', text: 'Kes\u200btrel' },
          { code: 'PROJECT_NAME', text: 'Кestrel' },
        ],
        why: 'keywords are found despite invisible characters and look-alike letters',
      },
      {
        text: 'K&#101;strel and Blue%20Harbor',
        finds: [
          { code: 'PROJECT_NAME', text: 'K&#101;strel' },
          { code: 'PROJECT_NAME', text: 'Blue%20Harbor' },
        ],
        why: 'keywords are found despite encoded letters',
      },
      {
        text: 'ask ACME, not acme',
        finds: [{ code: 'RIVAL', text: 'ACME' }],
        why: 'a list can be case-sensitive',
      },
    ],
  },

  create({ lists }, { codes }) {
    const words = Object.entries(lists)
      .filter(([code]) => codes.has(code))
      .flatMap(([code, list]) => list.words.map((word): Keyword => ({ code, list, text: plain(word) })))
      .filter(({ text }) => text !== '');
    const groups = inGroups(words).map((group) => ({
      group,
      matcher: new KeywordMatcher(group.map(({ text }) => text)),
    }));
    const scan: Parameters<typeof withHiddenLetters>[0] = (reading, _hint, hidden) => {
      const shadow = reading.normalised(normalisation(hidden));
      const text = shadow?.text ?? reading.text;
      const byCode = new Map<string, Finding[]>();
      for (const { group, matcher } of groups) {
        matcher.scan(text, (index, start, end) => {
          if (!isHit(group[index]!, text, start, end)) return;
          const { code, list } = group[index]!;
          const found = byCode.get(code);
          const finding = { code, start, end, score: list.score };
          if (found === undefined) byCode.set(code, [finding]);
          else found.push(finding);
        });
      }
      // Lists are independent: a word of one list is reported even if it lies inside a word of another.
      return [...byCode.values()]
        .flatMap((findings) => resolveOverlaps(findings))
        .map((finding) =>
          shadow === undefined ? finding : { ...finding, ...shadow.original(finding.start, finding.end) },
        )
        .sort(inOrder);
    };
    return withHiddenLetters(scan, streamKeywords(words));
  },
});

function plain(word: string): string {
  return normalise(word)?.text ?? word;
}
