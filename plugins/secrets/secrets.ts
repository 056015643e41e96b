import { compilePatterns, defineDetector, reachOf } from '../../src/core/plugin-api.js';
import { ABOUT, SECRET_RULES, type Options } from './about.js';
import { patternsOf } from './rule.js';
import { secretExamples } from './samples.js';

const patterns = SECRET_RULES.flatMap(patternsOf);

/** Finds credentials by the vendor's prefix, by their form, or by a word that names them. */
export const secrets = defineDetector<string, Options>({
  meta: {
    ...ABOUT,
    reach: reachOf(patterns),
    get examples() {
      return secretExamples(SECRET_RULES);
    },
  },
  create: (_options, settings) => compilePatterns(patterns, settings),
});
