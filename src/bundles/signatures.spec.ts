import { generateKeyPairSync } from 'node:crypto';
import { makeBundle } from '../core/index.js';
import { bundleDigest, keyIdOf, readPublicKey, signBundle, verifyBundle, type TrustedKey } from './index.js';

const bundle = makeBundle({
  policy: { id: 'p', environment: 'production', detectors: [], structures: [], readers: [] },
  digest: 'a'.repeat(64),
  files: [{ path: 'production/a.yaml', text: 'a' }],
  tests: [],
  source: { commit: null, clean: false },
});
const [one, two] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const FOR = { account: '00000000-0000-4000-8000-000000000001', serial: 7 };
const trust = (name: string, pair: typeof one): TrustedKey => ({
  name,
  id: keyIdOf(pair.publicKey),
  key: pair.publicKey,
});

describe('Signatures of bundles', () => {
  it('are valid for the key that made them, wrong after any change, and unknown without that key', () => {
    const signed = signBundle(bundle, one.privateKey, FOR);
    const keyId = keyIdOf(one.privateKey);
    expect(verifyBundle(signed, [trust('ci', one)])).toEqual([{ keyId, name: 'ci', outcome: 'valid', signedFor: FOR }]);
    expect(verifyBundle({ ...signed, tests: signed.files }, [trust('ci', one)])[0]?.outcome).toBe('wrong');
    expect(verifyBundle(signed, [trust('other', two)])).toEqual([{ keyId, outcome: 'unknown_key' }]);
  });

  it('cover account, environment and serial number, and are wrong when any of them changes', () => {
    const signed = signBundle(bundle, one.privateKey, FOR);
    const [signature] = signed.signatures;
    const outcomeOf = (changed: Partial<typeof signed>, more: object = {}) =>
      verifyBundle({ ...signed, signatures: [{ ...signature!, ...more }], ...changed }, [trust('ci', one)])[0]?.outcome;
    expect(outcomeOf({})).toBe('valid');
    expect(outcomeOf({ environment: 'staging' })).toBe('wrong');
    expect(outcomeOf({}, { serial: 8 })).toBe('wrong');
    expect(outcomeOf({}, { account: '00000000-0000-4000-8000-000000000002' })).toBe('wrong');
    expect(outcomeOf({}, { account: undefined, serial: undefined })).toBe('wrong');
  });

  it('do not change the digest, are sorted by key, and are replaced by a new signature of the same key', () => {
    const both = signBundle(signBundle(bundle, one.privateKey, FOR), two.privateKey, FOR);
    expect(bundleDigest(both)).toBe(bundleDigest(bundle));
    expect(both).toEqual(signBundle(signBundle(bundle, two.privateKey, FOR), one.privateKey, FOR));
    expect(signBundle(both, one.privateKey, FOR)).toEqual(both);
  });

  it('accept only Ed25519 keys, read from PEM or from its single line', () => {
    const pem = one.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const id = keyIdOf(one.publicKey);
    expect(readPublicKey('k', pem)?.id).toBe(id);
    expect(readPublicKey('k', pem.split('\n')[1]!)?.id).toBe(id);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    expect(readPublicKey('k', rsa.export({ type: 'spki', format: 'pem' }).toString())).toBeUndefined();
    expect(readPublicKey('k', 'nonsense')).toBeUndefined();
  });
});
