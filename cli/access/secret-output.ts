import { textOption, type CommandArgs } from '../command.js';
import { CliError, usageError } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { withNewFile, writeAt } from '../named-files.js';

/** The flag of commands that create a secret. */
export const SECRET_OPTION = {
  'out-file': textOption('Write the secret to a new file that only you can read'),
} as const;

type SecretArgs = CommandArgs<typeof SECRET_OPTION>;

/** A created secret, and where the user finds it. */
type Delivered<Created> = Created & {
  /** A message that says where the secret is. */
  readonly where: string;
  /** The value in the output of `--json`: the secret, or null if it is in a file. */
  readonly shown: string | null;
};

/**
 * Creates a secret, which is shown only once, and outputs it: to a new file of mode 0600, to the terminal, or in the object of `--json`. A
 * pipe receives the secret only with `--json`. Whether this place can be used is checked before the secret is created; if creating it
 * fails, no file is left behind.
 *
 * @throws CliError (exit 2) if there is no such place; the errors of `create`
 */
export async function deliverSecret<Created extends { readonly secret: string }>(
  { outFile, json }: SecretArgs,
  io: Io,
  create: () => Promise<Created>,
): Promise<Delivered<Created>> {
  if (outFile !== undefined) {
    return withNewFile(outFile, io, undefined, async (file) => {
      const created = await create();
      await writeAt(file, Buffer.from(`${created.secret}\n`), 0, outFile).catch(async (error: unknown) => {
        await file.truncate();
        throw lost(error);
      });
      return { ...created, where: `its secret is in ${outFile}`, shown: null };
    });
  }
  if (!json && io.stdout.isTTY !== true) {
    throw usageError('the secret is shown once and stdout is not a terminal: use --out-file, or --json');
  }
  const created = await create();
  if (!json) await write(io.stdout, `${created.secret}\n`);
  return { ...created, where: 'its secret is shown only once', shown: created.secret };
}

/** The error with advice: the secret exists, but nobody has it. */
function lost(error: unknown): unknown {
  return error instanceof CliError
    ? usageError(`${error.message}; the new secret is lost: delete it and create another`)
    : error;
}
