import { amounts, INCOMPARABLE, NEUTRAL, PRESENCE, ranked, sets } from './order.js';
import type { LeafClass } from './leaf-class.js';

/** Classes of the options of Weir's own plugins, by plugin and path below the detector. */
export const OPTION_CLASSES: Readonly<Record<string, Readonly<Record<string, LeafClass>>>> = {
  keywords: {
    'lists.*.words': { order: sets('stricter'), comparedBy: 'texts', why: 'A word that is not listed is not found.' },
    'lists.*.case_sensitive': {
      order: ranked(false, true),
      comparedBy: 'texts',
      why: 'With case sensitivity, the same word in another letter case is not found.',
    },
    'lists.*.whole_words': {
      order: ranked(false, true),
      comparedBy: 'texts',
      why: 'If only whole words count, a listed word inside a longer word is not found.',
    },
    'lists.*.score': {
      order: amounts({ stricter: 'higher', none: 'incomparable', max: 1 }),
      comparedBy: 'texts',
      why: 'A lower score may fall below the threshold of a rule or of min_score.',
    },
    'lists.*.title': { order: NEUTRAL, comparedBy: 'values', why: 'A title is only shown to people.' },
  },
  regex: {
    'patterns.*[].pattern': {
      order: PRESENCE,
      comparedBy: 'texts',
      why: 'Two expressions are compared by texts that are generated to match them.',
    },
    'patterns.*[].case_sensitive': {
      order: ranked(false, true),
      comparedBy: 'texts',
      why: 'With case sensitivity, the same text in another letter case is not found.',
    },
    'patterns.*[].group': {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'With another group, another part of the match is masked.',
    },
    'patterns.*[].score': {
      order: amounts({ stricter: 'higher', none: 'incomparable', max: 1 }),
      comparedBy: 'texts',
      why: 'A lower score may fall below the threshold of a rule or of min_score.',
    },
    'patterns.*[].title': { order: NEUTRAL, comparedBy: 'values', why: 'A title is only shown to people.' },
  },
  pii: {
    regions: {
      order: sets('stricter'),
      comparedBy: 'values',
      why: 'National telephone numbers are found only for the named countries.',
    },
    locales: {
      order: sets('stricter'),
      comparedBy: 'values',
      why: 'National telephone numbers are found only for countries of the named languages.',
    },
  },
  remote: {
    service: {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'Another service may find more, less or something else.',
    },
    format: {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'With another format, the requests to the service change.',
    },
    entities: { order: INCOMPARABLE, comparedBy: 'values', why: 'Entities that are not listed are not reported.' },
    path: {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'Another path of the service may find more, less or something else.',
    },
    batch: { order: NEUTRAL, comparedBy: 'values', why: 'Only the number of texts per request changes.' },
    language: {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'With another language, services find other entities.',
    },
    offsets: { order: INCOMPARABLE, comparedBy: 'values', why: 'Offsets in the wrong unit mask the wrong characters.' },
  },
  'json-schema': {
    tools: {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'Schemas are not compared; a different schema accepts different arguments.',
    },
    output: {
      order: INCOMPARABLE,
      comparedBy: 'values',
      why: 'Schemas are not compared; a different schema accepts different answers.',
    },
    unknown_arguments: {
      order: ranked('refuse', 'allow'),
      comparedBy: 'values',
      why: 'With `allow`, an argument that no schema names is accepted.',
    },
  },
  'tool-use': {
    sinks: {
      order: sets('stricter'),
      comparedBy: 'values',
      why: 'A tool that sends data, but is not listed, is trusted more than it should be.',
    },
    readers: {
      order: sets('weaker'),
      comparedBy: 'values',
      why: 'A tool that is declared as read-only is trusted more.',
    },
    trusted_hosts: {
      order: sets('weaker'),
      comparedBy: 'values',
      why: 'Addresses of a trusted host are allowed even if the user did not name them.',
    },
  },
};
