import { createPrivateKey, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { z } from 'zod';
import { bundleDigest, keyIdOf, signBundle } from '../../src/bundles/index.js';
import { bundleText } from '../../src/core/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { readBundleFile, readTextFile } from '../deploy/bundle-file.js';
import { EXIT, usageError } from '../exit-code.js';
import { write, type Io } from '../io.js';

export interface SignArgs extends GlobalArgs {
  readonly bundle: string;
  readonly key: string;
  readonly output: string | undefined;
}

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  file: z.string(),
  bundle_digest: z.string(),
  key_id: z.string(),
});

/** `weir sign <bundle> --key <file>`: adds a signature to a bundle. */
export const sign: Command<SignArgs> = {
  output: OUTPUT,

  build(parser) {
    return parser
      .positional('bundle', { type: 'string', demandOption: true, describe: 'A file of `weir build`' })
      .option('key', {
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: 'File with an Ed25519 private key in PEM; openssl genpkey -algorithm ed25519 makes one',
      })
      .option('output', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        describe: 'Where to write the signed bundle; default: the same file',
      }) as unknown as Argv<SignArgs>;
  },

  async run({ bundle: file, key, output, json }, { io }) {
    const bundle = await readBundleFile(file, io);
    const privateKey = await readPrivateKey(key, io);
    const signed = signBundle(bundle, privateKey);
    const target = output ?? file;
    await writeFile(resolve(io.cwd, target), bundleText(signed)).catch(() => {
      throw usageError(`cannot write ${target}`);
    });
    const keyId = keyIdOf(privateKey);
    const report = { schemaVersion: 1, file: target, bundle_digest: bundleDigest(signed), key_id: keyId } as const;
    const text = `${target}\nkey     ${keyId}\nbundle  ${report.bundle_digest}\n`;
    await write(io.stdout, json ? `${JSON.stringify(report satisfies z.infer<typeof OUTPUT>, null, 2)}\n` : text);
    return { exit: EXIT.ok, words: `signed by key ${keyId}` };
  },
};

async function readPrivateKey(file: string, io: Io): Promise<KeyObject> {
  const text = await readTextFile(file, io);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    throw usageError(`${file} holds no private key that can be read (PEM, without a passphrase)`);
  }
  throw usageError(`${file} holds another kind of key than Ed25519`);
}
