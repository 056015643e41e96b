import '../parts/stored-zone-for-tests.ts';
import { setZone } from '../parts/zone.ts';
import { bodyOf, EMPTY_TRIAL, inOtherEnvironment, isReady, isSameTrial } from './playground-call.ts';

const trial = { ...EMPTY_TRIAL, text: 'hello' };

// Other files of tests share the module.
afterEach(() => setZone('Europe/Berlin'));

describe('The time of a hypothetical call', () => {
  it('is read in the time zone in which times are shown', () => {
    setZone('Asia/Kabul');
    expect(bodyOf({ ...trial, at: '2026-11-30T14:00' }, 'force')).toMatchObject({ at: '2026-11-30T09:30:00.000Z' });
    setZone('America/New_York');
    expect(bodyOf({ ...trial, at: '2026-11-30T14:00:05' }, 'force')).toMatchObject({ at: '2026-11-30T19:00:05.000Z' });
  });

  it('is now if none is typed', () => {
    expect(bodyOf(trial, 'force')).not.toHaveProperty('at');
  });

  it('is not judged while it cannot be parsed', () => {
    expect(isReady({ ...trial, at: '2026-11-30T14:00' })).toBe(true);
    expect(isReady({ ...trial, at: '20261-11-30T14:00' })).toBe(false);
  });
});

describe('The policy of the playground', () => {
  it('is no longer a deployment when another environment is chosen, because its number belongs to its environment', () => {
    expect(inOtherEnvironment(42)).toBeNull();
  });

  it('otherwise stays chosen', () => {
    const bundle = { name: 'b.json', bundle: {} };
    for (const judge of ['force', 0, bundle, null] as const) expect(inOtherEnvironment(judge)).toBe(judge);
  });
});

describe('A decision of the playground', () => {
  const asked = { env: 'staging', trial, judge: 'force', zone: null } as const;

  it('is about the input on the page', () => {
    expect(isSameTrial(asked, { ...asked })).toBe(true);
  });

  it.each([
    ['text', { trial: { ...trial, text: 'hello, Ada' } }],
    ['environment', { env: 'production' }],
    ['policy', { judge: 7 }],
    ['time zone of a typed time', { zone: 'Asia/Kabul' }],
  ] as const)('is outdated after a change of the %s', (_, change) => {
    expect(isSameTrial(asked, { ...asked, ...change })).toBe(false);
  });

  it('is outdated if the input cannot be judged any more, as an empty text', () => {
    expect(isReady({ ...trial, text: ' ' })).toBe(false);
    expect(isSameTrial(asked, null)).toBe(false);
  });
});
