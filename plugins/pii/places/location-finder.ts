import type { Finder, Found, Pattern } from '../../../src/core/plugin-api.js';
import { isCity, isCountry, isRegion } from './places.js';

const MAX_LENGTH = 48;
const WORDS =
  /[A-ZÀ-ÖØ-ÞĀ-ɏ][A-Za-zÀ-ÖØ-öø-ɏ.'-]{1,20}(?: (?:and |of |de |do |the )?[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ÖØ-öø-ɏ.'-]{1,20}){0,3}/y;
/** Words before a place that hardly ever precede another capitalised word. */
const PLACE_CUE =
  /(?:\b(?:born in|live in|lives in|lived in|living in|based in|moved to|moved from|moved here from|travel(?:ling)? to|trip to|flight to|fly to|flying to|visit(?:ing)?|originally from|come from|comes from|grew up in|arrive in|arriving in|located in|city of|town of|village of|home city|capital of|mayor of|[Hh]otels? in|weather in|weather for|restaurants? in)) $/;

/** Finds countries, regions and large cities by name, and any capitalised words after a phrase that announces a place. */
export function locationPatterns(): readonly (Finder<'LOCATION'> | Pattern<'LOCATION'>)[] {
  return [
    {
      code: 'LOCATION',
      trigger: { on: 'token', token: 'capital' },
      maxLength: MAX_LENGTH * 2,
      behind: 26,
      find: findLocation,
    },
    {
      code: 'LOCATION',
      regex: /"(?:city|town|country|state|province|region|county)(?:_?name)?"\s{0,4}:\s{0,4}"([^"\\\n]{2,60})"/i,
      group: 1,
      trigger: {
        on: 'literals',
        literals: ['"city', '"town', '"country', '"state', '"province', '"region', '"county'],
      },
      score: 0.85,
      validate: (value) => /^\p{Lu}/u.test(value) && !/[<>{}=@]/.test(value),
    },
    {
      code: 'LOCATION',
      regex: /^\p{Lu}[^"<>{}@\\=\d]{1,60}$/u,
      trigger: { on: 'context' },
      context: { words: [] },
      keys: [
        'city',
        'town',
        'country',
        'province',
        'birthplace',
        'place of birth',
        'hometown',
        'location',
        'ort',
        'stadt',
        'ville',
        'ciudad',
      ],
      score: 0,
      contextScore: 0.85,
    },
  ];
}

function findLocation(text: string, start: number): Found | undefined {
  if (/[@#/_.'-]/.test(text[start - 1] ?? '')) return undefined;
  WORDS.lastIndex = start;
  const run = WORDS.exec(text)?.[0].replace(/'s$/, '');
  if (run === undefined) return undefined;
  for (let name = run; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf(' ')))) {
    const plain = name.replace(/[.']$/, '');
    if (isCountry(plain) || isCity(plain)) return { end: start + plain.length, score: 0.75 };
    if (plain.length > 3 && isRegion(plain)) return { end: start + plain.length, score: 0.65 };
  }
  const cued = PLACE_CUE.test(text.slice(Math.max(0, start - 24), start));
  return cued ? { end: start + run.replace(/[.']$/, '').length, score: 0.6 } : undefined;
}
