import { parse } from 'yaml';
import { builtInPolicy, required } from '../../src/core/index.js';

const { lists } = parse(required(builtInPolicy('weir:baseline@1'), 'weir:baseline@1').text) as {
  readonly lists: { readonly government_ids: readonly string[] };
};

/** Rows for the table of a test, one for each code that the baseline lists as a government id. */
export const GOVERNMENT_ID_ROWS = lists.government_ids.map((code) => `        - [${code}]`).join('\n');
