import { generateKeyPairSync } from 'node:crypto';
import { keyIdOf, signBundle } from '../bundles/index.js';
import type { Bundle } from '../core/index.js';
import { policyFile, signedBefore, testBundle } from '../../test/support/deployments.js';
import { checkForm, checkSignatures, type SignaturePolicy } from './bundle-gate.js';

const account = '00000000-0000-4000-8000-000000000001';
const FOR = { account, serial: 7 };
const check = (bundle: Bundle, policy: SignaturePolicy, isNew = true) =>
  checkSignatures(bundle, policy, { account, isNew });

describe('The signature check', () => {
  const [ci, ops, stranger] = [
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('ed25519'),
  ];
  const trustedKeys = [
    { name: 'ci', id: keyIdOf(ci.publicKey), key: ci.publicKey },
    { name: 'ops', id: keyIdOf(ops.publicKey), key: ops.publicKey },
  ];
  const [optional, required] = [false, true].map((requireSignature) => ({ trustedKeys, requireSignature }));
  const bundle = testBundle('x');

  it('accepts an unsigned bundle, and one signed by an unknown key, only if signatures are optional', () => {
    for (const one of [bundle, signBundle(bundle, stranger.privateKey, FOR)]) {
      expect(check(one, optional!)).toEqual({ signedBy: [], serial: null });
      expect(check(one, required!).problem).toBeDefined();
    }
  });

  it('names all trusted signers', () => {
    const signed = signBundle(signBundle(bundle, ci.privateKey, FOR), ops.privateKey, { account, serial: 9 });
    const { signedBy, serial } = check(signed, required!);
    expect([[...signedBy].sort(), serial]).toEqual([['ci', 'ops'], 9]);
  });

  it('refuses a bundle with a wrong signature of a trusted key, whatever its other signatures', () => {
    const other = signBundle(testBundle('y'), ci.privateKey, FOR).signatures;
    const mixed = signBundle({ ...bundle, signatures: other }, ops.privateKey, FOR);
    for (const policy of [optional!, required!]) {
      expect(check(mixed, policy)).toEqual({
        signedBy: [],
        serial: null,
        problem: `the signature of key ${keyIdOf(ci.publicKey)} does not match this bundle`,
      });
    }
  });

  it('refuses a bundle signed for another account, whether or not signatures are required', () => {
    const elsewhere = signBundle(bundle, ci.privateKey, { ...FOR, account: '00000000-0000-4000-8000-000000000002' });
    for (const policy of [optional!, required!])
      for (const isNew of [true, false])
        expect(check(elsewhere, policy, isNew).problem).toContain('is for another account');
  });

  it('accepts a signature of an earlier version of Weir for a bundle in the history, but not for a new bundle', () => {
    const before = signedBefore(bundle, ci.privateKey);
    expect(check(before, required!, false)).toEqual({ signedBy: ['ci'], serial: null });
    expect(check(before, required!).problem).toContain('sign the bundle again');
    expect(check(before, optional!)).toEqual({ signedBy: [], serial: null });
  });
});

describe('The check of the form', () => {
  const bundle = testBundle('x');
  const file = policyFile('x');
  const paths = (spoilt: Partial<Bundle>, mostCharacters?: number): string[] =>
    checkForm({ ...bundle, ...spoilt }, mostCharacters).map(({ path }) => path);

  it('accepts a bundle as it is built', () => {
    expect(checkForm(bundle)).toEqual([]);
  });

  it('refuses lists in another order, a path twice, and other line ends: the history could not be read again', () => {
    const other = { path: 'a.yaml', text: '' };
    expect(paths({ files: [file, other] })).toEqual(['bundle.files']);
    expect(paths({ files: [file, file] })).toEqual(['bundle.files']);
    expect(paths({ tests: [{ path: 'a.test.yaml', text: 'a\r\n' }] })).toEqual(['bundle.tests']);
    expect(paths({ files: Array.from({ length: 1_001 }, () => file) })).toEqual(['bundle.files']);
  });

  it('refuses more text than a bundle may have, as changes on the server can add up to', () => {
    const length = [...bundle.files, ...bundle.tests].reduce((sum, { text }) => sum + text.length, 0);
    expect(paths({}, length)).toEqual([]);
    expect(paths({}, length - 1)).toEqual(['bundle.files']);
  });
});
