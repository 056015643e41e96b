import { verifyBundle, type TrustedKey } from '../bundles/index.js';
import { readBundle, type Bundle, type ErrorDetail, type PluginCatalog } from '../core/index.js';

/** The keys whose signatures are accepted, and whether a signature is required. */
export interface SignaturePolicy {
  readonly trustedKeys: readonly TrustedKey[];
  readonly requireSignature: boolean;
}

export interface CheckedSignatures {
  /** Names of the keys whose signatures are accepted. */
  readonly signedBy: readonly string[];
  /** The highest serial number of an accepted signature; null without one. */
  readonly serial: number | null;
  /** The reason why the bundle may not be activated. */
  readonly problem?: string;
}

/**
 * Checks a bundle's signatures. A bundle with a wrong signature of a trusted key, or with a signature for another account, is always
 * refused: somebody changed it, or copied it from another account.
 *
 * @param account the account that deploys the bundle
 * @param isNew false for a bundle that is already in the history: there, signatures of earlier versions are accepted, which contain
 * neither an account nor a number
 */
export function checkSignatures(
  bundle: Bundle,
  { trustedKeys, requireSignature }: SignaturePolicy,
  { account, isNew }: { readonly account: string; readonly isNew: boolean },
): CheckedSignatures {
  const checks = verifyBundle(bundle, trustedKeys);
  const refuse = (problem: string): CheckedSignatures => ({ signedBy: [], serial: null, problem });
  const wrong = checks.find(({ outcome }) => outcome === 'wrong');
  if (wrong !== undefined) return refuse(`the signature of key ${wrong.keyId} does not match this bundle`);
  const elsewhere = checks.find(({ signedFor }) => signedFor !== undefined && signedFor.account !== account);
  if (elsewhere !== undefined) return refuse(`the signature of key ${elsewhere.keyId} is for another account`);
  const valid = checks.filter(({ outcome }) => outcome === 'valid');
  const counting = valid.filter(({ signedFor }) => !isNew || signedFor !== undefined);
  const signedBy = counting.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const serials = counting.flatMap(({ signedFor }) => (signedFor === undefined ? [] : [signedFor.serial]));
  const serial = serials.length === 0 ? null : Math.max(...serials);
  if (!requireSignature || signedBy.length > 0) return { signedBy, serial };
  if (checks.length === 0) return refuse('the bundle is not signed, and this service accepts only signed bundles');
  if (valid.length === 0) return refuse('no signature of the bundle was made with a key that this service trusts');
  return refuse('the signature of the bundle does not name the account and the serial number: sign the bundle again');
}

/** The most characters of all files of a bundle. A request contains fewer; changes on the server could add more and more. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * Checks that a bundle can be read from the history again. Otherwise its policy would judge calls only until a replica starts, which would
 * then use an earlier one.
 *
 * @param mostCharacters a different maximum; for tests
 */
export function checkForm(bundle: Bundle, mostCharacters = MOST_CHARACTERS): ErrorDetail[] {
  const read = readBundle(bundle);
  if ('problems' in read) return read.problems.map(({ path, message }) => ({ path: `bundle.${path}`, message }));
  const characters = [...bundle.files, ...bundle.tests].reduce((sum, { text }) => sum + text.length, 0);
  if (characters <= mostCharacters) return [];
  return [{ path: 'bundle.files', message: `must have at most ${mostCharacters} characters together with the tests` }];
}

/**
 * Compares the plugins that a bundle was built with to those that are loaded here. With other plugins, its tests would prove nothing
 * about its behaviour here.
 */
export function checkPlugins({ requires }: Bundle, catalog: PluginCatalog): ErrorDetail[] {
  const loaded = new Map(
    [...catalog.detectors, ...catalog.structures, ...catalog.ledgers].map(({ meta }) => [meta.id, meta]),
  );
  return requires.flatMap(({ plugin, version, revision }, index) => {
    const path = `bundle.requires[${index}]`;
    const here = loaded.get(plugin);
    if (here === undefined) return [{ path, message: `the plugin "${plugin}" is not loaded here` }];
    if (here.version === version && here.revision === revision) return [];
    const message = `was built with "${plugin}" ${version}, revision ${revision}; this service has ${here.version}, revision ${here.revision}`;
    return [{ path, message }];
  });
}
