import { z } from 'zod';
import { bundleDigest, readPublicKey, sha256Hex, verifyBundle, type TrustedKey } from '../../../src/bundles/index.js';
import { BUNDLE_SCHEMA } from '../../../src/core/index.js';
import { defineCommand, textOption } from '../../command.js';
import { compileBundle } from '../../deploy/built-bundle.js';
import { readBundleFile, readTextFile } from '../../deploy/bundle-file.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { write, type Io } from '../../io.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  environment: z.string(),
  digest: z.string(),
  bundle_digest: z.string(),
  source: BUNDLE_SCHEMA.shape.source,
  compiles_to_digest: z
    .boolean()
    .describe('Whether the files compile to the digest in the bundle, with the plugins installed here.'),
  signatures: z.array(
    z.strictObject({
      key_id: z.string(),
      outcome: z.enum(['valid', 'wrong', 'unknown_key']),
      key: z.string().nullable(),
      account: z
        .string()
        .nullable()
        .describe('Account that the signature names; null if the signature names none or cannot be checked.'),
      serial: z.int().nullable(),
    }),
  ),
});

/** `weir verify <bundle> --key-file <file>`: checks that a bundle is complete, compiles to its digest and is signed. */
export const verify = defineCommand({
  usage: 'verify <bundle>',
  summary: 'Check that a bundle is complete, compiles and is signed',
  positionals: {
    bundle: { type: 'string', demandOption: true, describe: 'Bundle file made by `weir build`' },
  },
  options: {
    'key-file': {
      alias: 'key',
      type: 'string',
      array: true,
      requiresArg: true,
      default: [],
      describe:
        'File with the key; an Ed25519 public key in PEM, by whose private key the bundle must be signed; may be repeated',
    },
    account: textOption('Account id; the signatures must name this account'),
  },
  output: OUTPUT,

  async run({ bundle: file, keyFile, account, json }, context) {
    const { io } = context;
    const bundle = await readBundleFile(file, io);
    const keys = await Promise.all(keyFile.map((name) => readKey(name, io)));
    const policy = await compileBundle(bundle, await context.catalog(), io, file);
    const compiles = sha256Hex(policy.canonical) === bundle.policy.digest;
    const signatures = verifyBundle(bundle, keys).map(({ keyId, outcome, name, signedFor }) => ({
      key_id: keyId,
      outcome,
      key: name ?? null,
      account: signedFor?.account ?? null,
      serial: signedFor?.serial ?? null,
    }));
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      environment: bundle.environment,
      digest: bundle.policy.digest,
      bundle_digest: bundleDigest(bundle),
      source: bundle.source,
      compiles_to_digest: compiles,
      signatures,
    };
    const lines = [`policy  ${report.digest}`, `bundle  ${report.bundle_digest}`, ...signatures.map(signatureLine)];
    await write(io.stdout, json ? `${JSON.stringify(report, null, 2)}\n` : `${lines.join('\n')}\n`);
    return outcomeOf(report, keys, account);
  },
});

function signatureLine(one: z.infer<typeof OUTPUT>['signatures'][number]): string {
  const name = one.key === null ? '' : `  ${one.key}`;
  const binding = one.account === null ? '' : `  for ${one.account}, number ${one.serial}`;
  return `signed  ${one.key_id}  ${one.outcome.replace('_', ' ')}${name}${binding}`;
}

function outcomeOf(
  { compiles_to_digest: compiles, signatures }: z.infer<typeof OUTPUT>,
  keys: readonly TrustedKey[],
  account: string | undefined,
): Outcome {
  const wrong = signatures.find(({ outcome }) => outcome === 'wrong');
  if (wrong !== undefined)
    return { exit: EXIT.findings, words: `the signature of key ${wrong.key_id} does not match this bundle` };
  const missing = keys.find(({ id }) => !signatures.some(({ key_id: signed }) => signed === id));
  if (missing !== undefined) return { exit: EXIT.findings, words: `not signed by ${missing.name}` };
  const elsewhere = signatures.find(
    (one) => one.outcome === 'valid' && account !== undefined && one.account !== account,
  );
  if (elsewhere !== undefined)
    return { exit: EXIT.findings, words: `the signature of key ${elsewhere.key_id} is not for this account` };
  if (!compiles)
    return {
      exit: EXIT.findings,
      words:
        'the files do not compile to the digest in the bundle: the bundle was changed, or other plugins are installed here',
    };
  const { length } = keys;
  const signed =
    length === 0
      ? 'no key was given, so no signature was checked'
      : `signed by ${keys.map(({ name }) => name).join(', ')}`;
  return { exit: EXIT.ok, words: `the bundle is complete; ${signed}` };
}

async function readKey(file: string, io: Io): Promise<TrustedKey> {
  const key = readPublicKey(file, (await readTextFile(file, io)).trim());
  if (key === undefined) throw usageError(`${file} contains no Ed25519 public key`);
  return key;
}
