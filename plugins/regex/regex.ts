import { defineDetector, resolveOverlaps, SharedReading, type Finding } from '../../src/core/plugin-api.js';
import { findAll } from './find-all.js';
import { compileOperatorPattern } from './operator-pattern.js';
import { regexOptions, type RegexOptions } from './regex-options.js';

/** Finds matches of the operator's patterns with a linear-time engine, which no pattern can block. */
export const regex = defineDetector<string, RegexOptions>({
  meta: {
    id: 'regex',
    version: '1.0.0',
    revision: 3,
    family: 'content',
    summary: 'Finds matches of the regular expressions in the policy.',
    codes: {},
    codesFrom: ({ patterns }) =>
      Object.fromEntries(
        Object.entries(patterns).map(([code, list]) => [
          code,
          {
            title: list.find(({ title }) => title !== undefined)?.title ?? `A match of a pattern of ${code}`,
            enabled: true,
            minScore: 0,
          },
        ]),
      ),
    // The start of the search for each match depends on all earlier matches.
    reach: 'whole_text',
    options: regexOptions,
    examples: [
      {
        text: 'see TCK-001234, tck-999999 or TCK-12',
        finds: [{ code: 'TICKET', text: 'TCK-001234' }],
        why: 'a pattern is case-sensitive by default',
      },
      {
        text: 'Customer: Moeller & Sons\nOrder: 17',
        finds: [{ code: 'CUSTOMER', text: 'Moeller & Sons' }],
        why: 'the finding can be a capture group of the match',
      },
      {
        text: 'customer: x\nCUSTOMER: y',
        finds: [
          { code: 'CUSTOMER', text: 'x' },
          { code: 'CUSTOMER', text: 'y' },
        ],
        why: '^ and $ match the start and the end of each line',
      },
    ],
  },

  create({ patterns }, { codes }) {
    const compiled = Object.entries(patterns)
      .filter(([code]) => codes.has(code))
      .map(([code, list]) => ({
        code,
        list: list.map((written) => ({
          ...written,
          compiled: compileOperatorPattern(written.pattern, written.case_sensitive),
        })),
      }));
    return (text, _hint, shared) => {
      const reading = SharedReading.of(text, shared);
      const readings = [reading.normalised({ parting: true })];
      // The whole text is decoded, not only the parts with hidden letters, because a pattern may depend on the ends of a line.
      if (reading.islands.length > 0) readings.push(reading.normalised({ disguises: true }));
      return compiled
        .flatMap(({ code, list }) =>
          resolveOverlaps(
            readings.flatMap((shadow) =>
              list.flatMap(({ compiled: pattern, group, score }) =>
                findAll(pattern, shadow?.text ?? text, group).map(({ start, end }): Finding => {
                  const range = shadow?.original(start, end) ?? { start, end };
                  return { code, score, ...range };
                }),
              ),
            ),
          ),
        )
        .sort((a, b) => a.start - b.start || b.end - a.end || (a.code < b.code ? -1 : 1));
    };
  },
});
