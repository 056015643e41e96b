import { textOption, type CommandArgs } from '../command.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import { OutputClosed, writeThrough, type Io } from '../io.js';
import { withNewFile, writeAt } from '../named-files.js';

/** The flag of commands that create a secret. */
export const SECRET_OPTION = {
  'out-file': textOption('Write the secret to a new file that only you can read'),
} as const;

type SecretArgs = CommandArgs<typeof SECRET_OPTION>;

/** A secret to create. */
interface NewSecret<Created> {
  create(): Promise<Created>;
  /** The object of `--json`. @param secret null if the secret is in a file */
  report(created: Created, secret: string | null): object;
  /** The command that deletes the created key or token. */
  deletion(created: Created): string;
}

/** A created secret, and where the user finds it. */
type Delivered<Created> = Created & {
  /** A message that says where the secret is. */
  readonly where: string;
};

/**
 * Creates a secret, which is shown only once, and outputs it: to a new file of mode 0600, to the terminal, or in the object of `--json`. A
 * pipe receives the secret only with `--json`. Whether this place can be used is checked before the secret is created; if creating it
 * fails, no file is left behind. If the secret cannot be output, the error says how to delete what was created.
 *
 * @throws CliError (exit 2) if there is no such place, or if the secret cannot be written there, (exit 141) if the reader of the output is
 * gone; the errors of `create`
 */
export async function deliverSecret<Created extends { readonly secret: string }>(
  { outFile, json }: SecretArgs,
  io: Io,
  { create, report, deletion }: NewSecret<Created>,
): Promise<Delivered<Created>> {
  const line = (created: Created, secret: string | null): string => `${JSON.stringify(report(created, secret))}\n`;
  if (outFile !== undefined) {
    const created = await withNewFile(outFile, io, undefined, async (file) => {
      const made = await create();
      await writeAt(file, Buffer.from(`${made.secret}\n`), 0, outFile).catch(async (error: unknown) => {
        await file.truncate();
        throw lost(error, deletion(made));
      });
      return made;
    });
    const where = `its secret is in ${outFile}`;
    if (json) {
      await writeThrough(io.stdout, line(created, null)).catch((error: unknown) => {
        throw withWords(error, `the credential is created, and ${where}`);
      });
    }
    return { ...created, where };
  }
  if (!json && io.stdout.isTTY !== true) {
    throw usageError('the secret is shown once and stdout is not a terminal: use --out-file, or --json');
  }
  const created = await create();
  const text = json ? line(created, created.secret) : `${created.secret}\n`;
  await writeThrough(io.stdout, text).catch((error: unknown) => {
    throw lost(error, deletion(created));
  });
  return { ...created, where: 'its secret is shown only once' };
}

/** The error with advice: the secret exists, but nobody has it. */
function lost(error: unknown, deletion: string): unknown {
  return withWords(error, `the new secret is lost: delete it with ${deletion}, and create another`);
}

function withWords(error: unknown, words: string): unknown {
  if (error instanceof OutputClosed) {
    return new CliError(EXIT.closed, `the reader closed the output before its end; ${words}`);
  }
  return error instanceof CliError ? new CliError(error.exit, `${error.message}; ${words}`) : error;
}
