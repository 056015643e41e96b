import { sampled } from '../../test/support/sampled.js';
import { INJECTION_EXAMPLES } from './examples.js';
import { PHRASES } from './phrases.js';
import { promptInjection } from './prompt-injection.js';
import { createSigns, type Sign } from './signs.js';
import { FOREIGN_REQUEST_SAMPLES, IDIOMS, KINDS, LOOK_ALIKES, UNSEEN_ORDERS } from './testdata/attack-samples.js';

const codes = Object.keys(promptInjection.meta.codes) as (keyof typeof promptInjection.meta.codes)[];
const scan = promptInjection.create({}, { codes: new Set(codes) });
const highest = (text: string): number => scan(text).reduce((most, { score }) => Math.max(most, score), 0);
const signsOf = createSigns();
const signsWithoutExceptions = createSigns(
  undefined,
  PHRASES.map((phrase) => ({ ...phrase, unless: () => false })),
);
/** From this score a phrase counts without support by the model. */
const SURE_SCORE = 0.85;

/** One harmless place of each phrase that has some. */
const PLACES = [
  'Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer.',
  'Permission is granted to deal in the Software without restriction, including without limitation the rights to use, copy, modify and merge it.',
  'This includes, without limitation, any warranties of title.',
  '![x](https://img.shields.io/badge/a?style=flat&logo=data:image/svg%2bxml;base64,PHN2)',
  '![c](https://img.shields.io/badge/dynamic/json.svg?label=coverage&query=$.typeCoverage.atLeast)',
  'Colours come from <s>colors.js</s>, which is no longer maintained.',
  '<!-- prettier-ignore -->\n',
  // A harmless note in documents: an exception must know its whole form.
  'TODO: Make sure that all of these items are documented.',
  '<div style="background-color:white">Language models in 2026</div>',
];
const ATTACKS: readonly string[] = [
  ...INJECTION_EXAMPLES.filter(({ finds }) => finds.length > 0).map(({ text }) => text),
  ...KINDS.map(([text]) => text),
  ...[...IDIOMS, ...UNSEEN_ORDERS, ...FOREIGN_REQUEST_SAMPLES, ...LOOK_ALIKES].map(([, text]) => text),
];
const FOUND = ATTACKS.filter((text) => signsOf(text).length > 0);
const SURELY_FOUND = FOUND.filter((text) => signsOf(text).some(({ score }) => score >= SURE_SCORE));
const besides = (attack: string, place: string, between: string): string[] => [
  `${attack}${between}${place}`,
  `${place}${between}${attack}`,
];
const keyOf = ({ code, start, end, score }: Sign): string => `${code} ${start}-${end} ${score}`;

describe('A harmless place', () => {
  it.each(PLACES)('has signs that do not count: %s', (place) => {
    expect(signsWithoutExceptions(place)).not.toEqual([]);
    expect(signsOf(place)).toEqual([]);
  });

  it.each(PLACES)('takes no sign from an attack beside it: %s', (place) => {
    for (const attack of sampled(FOUND, 8)) {
      for (const between of ['\n', ' ']) {
        for (const text of besides(attack, place, between).filter((text) => signsOf(text).length > 0)) {
          const counted = signsOf(text).map(keyOf);
          expect({ text, counted }).toEqual({
            text,
            counted: expect.arrayContaining(signsWithoutExceptions(text).map(keyOf)) as string[],
          });
        }
      }
    }
  });

  // The score of a less certain phrase is that of the model, which falls in any longer sentence; its signs are compared above.
  it.each(PLACES)('does not lower the score of an attack with a certain phrase beside it: %s', (place) => {
    for (const attack of sampled(SURELY_FOUND, 8)) {
      for (const between of ['\n', ' ']) {
        for (const text of besides(attack, place, between)) {
          const isFound = highest(text) >= SURE_SCORE;
          expect({ text, isFound }).toEqual({ text, isFound: true });
        }
      }
    }
  });
});
