import { SHIPPED_PLUGINS } from '../../plugin-registry/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';
import { NoteMasker } from './note-masker.js';

/** A policy without detectors finds nothing. */
const judging = { maskTexts: () => Promise.resolve([]) };
const policy = {} as ActivePolicy;

describe('a note on a mark', () => {
  const masker = new NoteMasker(judging, SHIPPED_PLUGINS);

  it.each([
    ['Ask bob@corp.example', 'Ask [EMAIL]'],
    ['it was AKIA' + 'QYLPMN5HFIQR7XYA', 'it was [AWS_ACCESS_KEY]'],
    ['token ghp_' + '16C7e42F292c6912E7710c838347Ae178B4a', 'token [GITHUB_PAT]'],
    ['An order number.\nNothing else.', 'An order number.\nNothing else.'],
  ])('is masked for credentials and personal data even if the policy detects none: %#', async (note, kept) => {
    const masked = await masker.masked(policy, 'account', note);
    expect(masked.toLowerCase()).toBe(kept.toLowerCase());
  });

  it('is replaced as a whole if a detector failed', async () => {
    const [detector] = SHIPPED_PLUGINS.detectors.filter(({ meta }) => meta.id === 'secrets');
    const broken = {
      ...detector!,
      create: () => () => {
        throw new Error('out of order');
      },
    };
    const failing = new NoteMasker(judging, { detectors: [broken as never], structures: [], ledgers: [] });
    expect(await failing.masked(policy, 'account', 'anything')).toBe('[UNSCANNED]');
  });
});
