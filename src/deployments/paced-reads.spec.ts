import { makeBundle, type Bundle } from '../core/index.js';
import { PacedReads } from './paced-reads.js';

/** A bundle with a text of this many characters. */
function bundleOf(characters: number): Bundle {
  return makeBundle({
    policy: { id: 'p', environment: 'production', detectors: [], structures: [], readers: [] },
    digest: '0'.repeat(64),
    files: [{ path: 'production/policy.yaml', text: '#'.repeat(characters) }],
    tests: [],
    source: { commit: null, clean: false },
  });
}
const LARGE = bundleOf(5_000_000);
const SMALL = bundleOf(1_000);

describe('Reads of bundles', () => {
  it('wait after a large bundle of the same account, and not after those of other accounts', async () => {
    const pauses: { readonly ms: number; readonly end: () => void }[] = [];
    const reads = new PacedReads((ms) => new Promise<void>((end) => void pauses.push({ ms, end })));
    const begun: string[] = [];
    const read = (account: string, bundle: Bundle): Promise<Bundle> =>
      reads.read(account, () => Promise.resolve(void begun.push(account)).then(() => bundle));
    await read('a', LARGE);
    expect(pauses.map(({ ms }) => ms)).toEqual([900]);
    const waiting = read('a', SMALL);
    await read('b', SMALL);
    expect(begun).toEqual(['a', 'b']);
    pauses[0]?.end();
    await waiting;
    await read('a', SMALL);
    expect(begun).toEqual(['a', 'b', 'a', 'a']);
    expect(pauses).toHaveLength(1);
  });

  it('go on after one that failed, and are refused while too many wait', async () => {
    const reads = new PacedReads();
    const never = Promise.withResolvers<Bundle>();
    const open = Array.from({ length: 16 }, (_, index) =>
      reads.read('a', () => (index === 0 ? never.promise : Promise.resolve(SMALL))),
    );
    const refused = reads.read('a', () => Promise.resolve(SMALL));
    await expect(refused).rejects.toMatchObject({ type: 'rate_limit_exceeded' });
    never.reject(new Error('the database does not answer'));
    const [first, ...others] = await Promise.allSettled(open);
    expect(first?.status).toBe('rejected');
    expect(others.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await reads.read('a', () => Promise.resolve(SMALL))).toBe(SMALL);
  });
});
