import { generateKeyPairSync } from 'node:crypto';
import { keyIdOf, signBundle } from '../bundles/index.js';
import { testBundle } from '../../test/support/deployments.js';
import { checkSignatures } from './bundle-gate.js';

describe('The gate for signatures', () => {
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

  it('lets an unsigned bundle, and one of a stranger, pass only where signatures are optional', () => {
    for (const one of [bundle, signBundle(bundle, stranger.privateKey)]) {
      expect(checkSignatures(one, optional!)).toEqual({ signedBy: [] });
      expect(checkSignatures(one, required!).problem).toBeDefined();
    }
  });

  it('names everybody it trusts who signed', () => {
    const signed = signBundle(signBundle(bundle, ci.privateKey), ops.privateKey);
    expect([...checkSignatures(signed, required!).signedBy].sort()).toEqual(['ci', 'ops']);
  });

  it('refuses a bundle with one wrong signature of a key it trusts, whatever else it has', () => {
    const other = signBundle(testBundle('y'), ci.privateKey).signatures;
    const mixed = signBundle({ ...bundle, signatures: other }, ops.privateKey);
    for (const policy of [optional!, required!]) {
      expect(checkSignatures(mixed, policy)).toEqual({
        signedBy: [],
        problem: `the signature of key ${keyIdOf(ci.publicKey)} is not over this bundle`,
      });
    }
  });
});
