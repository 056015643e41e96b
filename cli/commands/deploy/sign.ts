import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { bundleDigest, keyIdOf, signBundle } from '../../../src/bundles/index.js';
import { bundleText, MAX_SERIAL } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, textOption, type CommandArgs } from '../../command.js';
import { readBundleFile, readTextFile } from '../../deploy/bundle-file.js';
import { EXIT, usageError } from '../../exit-code.js';
import { write, type Io } from '../../io.js';
import { outputFlag } from '../../vocabulary.js';
import { writeNamedFile } from '../../named-files.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  file: z.string(),
  bundle_digest: z.string(),
  key_id: z.string(),
  account: z.string(),
  serial: z.int(),
});

const UUID = z.uuid();
const SERIAL = z.int().min(1).max(MAX_SERIAL);

const MS_PER_S = 1000;

const OPTIONS = {
  ...SERVER_OPTIONS,
  'key-file': {
    alias: 'key',
    type: 'string',
    requiresArg: true,
    describe: 'File with the key; an Ed25519 private key in PEM, as made by openssl genpkey -algorithm ed25519',
  },
  ...outputFlag('receives the signed bundle; default: the input file'),
  account: textOption('Account id; only this account can deploy the signed bundle; default: the account of the token'),
  serial: {
    type: 'number',
    requiresArg: true,
    describe: 'Serial number, higher than those of all earlier bundles; default: seconds since 1970',
  },
} as const;
const ARGUMENTS = {
  bundle: { type: 'string', demandOption: true, describe: 'Bundle file made by `weir build`' },
} as const;

export type SignArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir sign <bundle> --key-file <file>`: adds a signature for one account, with an increasing number. */
export const sign = defineCommand({
  usage: 'sign <bundle>',
  summary: 'Sign a bundle with an Ed25519 key',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: OUTPUT,

  async run(args, { io }) {
    const { bundle: file, keyFile: key, output, json } = args;
    // Checked here: the parser does not recognise a required flag with a dashed name.
    if (key === undefined) throw usageError('name the private key: --key-file private.pem');
    const bundle = await readBundleFile(file, io);
    const privateKey = await readPrivateKey(key, io);
    const serial = args.serial ?? Math.floor(Date.now() / MS_PER_S);
    if (!SERIAL.safeParse(serial).success) throw usageError('--serial must be a whole number from 1');
    const account = await accountOf(args, io);
    const signed = signBundle(bundle, privateKey, { account, serial });
    const target = output ?? file;
    await writeNamedFile(target, bundleText(signed), io);
    const keyId = keyIdOf(privateKey);
    const digest = bundleDigest(signed);
    const report = { schemaVersion: 1, file: target, bundle_digest: digest, key_id: keyId, account, serial } as const;
    const text = `${target}\nkey     ${keyId}\nbundle  ${digest}\nfor     ${account}, number ${serial}\n`;
    await write(io.stdout, json ? `${JSON.stringify(report satisfies z.infer<typeof OUTPUT>, null, 2)}\n` : text);
    return { exit: EXIT.ok, words: `signed by key ${keyId}` };
  },
});

/** The account id of `--account`, or else that of the token. @throws CliError exit 2 for an invalid id, or if no server can be asked */
async function accountOf(args: SignArgs, io: Io): Promise<string> {
  if (args.account !== undefined) {
    if (!UUID.safeParse(args.account).success) throw usageError('--account must be the id of an account');
    return args.account;
  }
  const { Management } = await import('../../access/management.js');
  const management = await Management.of(args, io).catch(() => {
    throw usageError('a signature is for one account: add --account <id>, or name a server and a token');
  });
  return (await management.account()).account.id;
}

async function readPrivateKey(file: string, io: Io): Promise<KeyObject> {
  const text = await readTextFile(file, io);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    throw usageError(`${file} contains no readable private key (PEM, without a passphrase)`);
  }
  throw usageError(`${file} contains a key of another type; only Ed25519 is supported`);
}
