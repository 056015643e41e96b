/** The service, `weir try` and policy tests have the same judgement about every call of the conformance matrix. */
import { isDeepStrictEqual } from 'node:util';
import { allCells } from '../matrix/check-cell.js';
import { Surfaces, VARIANT_NAMES } from '../matrix/surfaces.js';
import { FORMS } from '../matrix/forms.js';

const CELLS = allCells(FORMS, [1]);
/** The number of seeds of the matrix; each gives different calls. */
const SEEDS = Number(process.env['WEIR_TEST_JUDGE_SEEDS'] ?? 1);

describe('The judgement of a call is the same through every entry point, under a policy to', () => {
  it.each(VARIANT_NAMES)(
    '%s',
    async (name) => {
      const surfaces = new Surfaces(name);
      const red = new Set<string>();
      const actions = new Set<string>();
      const cells = SEEDS === 1 ? CELLS : allCells(FORMS, [...Array(SEEDS).keys()]);
      for (const cell of cells) {
        const served = await surfaces.served(cell);
        actions.add(`${served.decision.action}${served.decision.unavailable ? ', outage' : ''}`);
        if (served.redactions.some(({ type }) => type === 'blocked_history')) actions.add('repair');
        for (const surface of ['tried', 'tested'] as const) {
          const judged = await surfaces[surface](cell);
          for (const part of ['decision', 'violations', 'redactions', 'leaving'] as const) {
            if (!isDeepStrictEqual(judged[part], served[part]))
              red.add(`${cell.form.name} (${cell.form.kind}): ${cell.location.name}: ${surface}, ${part}`);
          }
        }
      }
      expect([...red]).toEqual([]);
      expect([...actions].sort()).toEqual(EXPECTED[name]);
    },
    120_000 * SEEDS,
  );
});

/** The actions that occur among the cells: they ensure that each policy has an effect on the calls. */
const EXPECTED: Readonly<Record<(typeof VARIANT_NAMES)[number], readonly string[]>> = {
  flag: ['allow'],
  redact: ['allow', 'block', 'redact'],
  'redact with stable tokens': ['allow', 'block', 'redact'],
  'redact, unless it is signed': ['allow', 'redact'],
  block: ['allow', 'block'],
  'block, earlier turns dropped': ['allow', 'block', 'redact', 'repair'],
  'block, earlier turns replaced': ['allow', 'block', 'redact', 'repair'],
  'block, in a policy that monitors': ['allow'],
  'block, for a caller that asks for monitor mode': ['allow'],
  'block, with an exception': ['allow', 'block'],
  'block, while a detector fails': ['block, outage'],
};
