import { verifyBundle, type TrustedKey } from '../bundles/index.js';
import type { Bundle, ErrorDetail, PluginCatalog } from '../core/index.js';

/** Whose signatures count, and whether there has to be one. */
export interface SignaturePolicy {
  readonly trustedKeys: readonly TrustedKey[];
  readonly requireSignature: boolean;
}

/**
 * Looks at a bundle's signatures. One that is by a trusted key and wrong always refuses the bundle: somebody changed it.
 *
 * @returns the names of the keys that signed it, and why it may not be put in force
 */
export function checkSignatures(
  bundle: Bundle,
  { trustedKeys, requireSignature }: SignaturePolicy,
): { readonly signedBy: readonly string[]; readonly problem?: string } {
  const checks = verifyBundle(bundle, trustedKeys);
  const signedBy = checks.flatMap(({ outcome, name }) => (outcome === 'valid' && name !== undefined ? [name] : []));
  const wrong = checks.find(({ outcome }) => outcome === 'wrong');
  if (wrong !== undefined)
    return { signedBy: [], problem: `the signature of key ${wrong.keyId} is not over this bundle` };
  if (!requireSignature || signedBy.length > 0) return { signedBy };
  const problem =
    checks.length === 0
      ? 'the bundle is not signed, and this service takes signed bundles only'
      : 'no signature of the bundle is by a key that this service trusts';
  return { signedBy, problem };
}

/**
 * The plugins that a bundle was built with against those that are loaded here. With others its tests would say nothing
 * about what it does here.
 */
export function checkPlugins({ requires }: Bundle, catalog: PluginCatalog): ErrorDetail[] {
  const loaded = new Map([...catalog.detectors, ...catalog.structures].map(({ meta }) => [meta.id, meta]));
  return requires.flatMap(({ plugin, version, revision }, index) => {
    const path = `bundle.requires.${index}`;
    const here = loaded.get(plugin);
    if (here === undefined) return [{ path, message: `the plugin "${plugin}" is not loaded here` }];
    if (here.version === version && here.revision === revision) return [];
    const message = `built with "${plugin}" ${version}, revision ${revision}; here it is ${here.version}, revision ${here.revision}`;
    return [{ path, message }];
  });
}
