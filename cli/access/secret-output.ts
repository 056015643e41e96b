import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { textOption, type CommandArgs } from '../command.js';
import { usageError } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { cannotWrite } from '../named-files.js';

/** The flag of commands that create a secret. */
export const SECRET_OPTION = {
  'out-file': textOption('Write the secret to a new file that only you can read'),
} as const;

type SecretArgs = CommandArgs<typeof SECRET_OPTION>;

/** The destination of a secret that is shown only once. */
export interface SecretPlace {
  /** Outputs the secret; returns a message that says where it is. */
  deliver(secret: string): Promise<string>;
  /** The value in the output of `--json`: the secret, or null if it is in a file. */
  inJson(secret: string): string | null;
}

/**
 * Checks, before a secret is created, that there is a place to output it: a new file of mode 0600, the terminal, or the object of
 * `--json`. A pipe receives the secret only with `--json`.
 *
 * @throws CliError (exit 2)
 */
export async function secretPlace(args: SecretArgs, io: Io): Promise<SecretPlace> {
  const { outFile } = args;
  if (outFile !== undefined) {
    const file = await open(resolve(io.cwd, outFile), 'wx', 0o600).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw code === 'EEXIST' ? usageError(`${outFile} already exists`) : cannotWrite(outFile, error);
    });
    return {
      async deliver(secret) {
        await file.writeFile(`${secret}\n`);
        await file.close();
        return `its secret is in ${outFile}`;
      },
      inJson: () => null,
    };
  }
  if (!args.json && io.stdout.isTTY !== true) {
    throw usageError('the secret is shown once and stdout is not a terminal: use --out-file, or --json');
  }
  return {
    async deliver(secret) {
      if (!args.json) await write(io.stdout, `${secret}\n`);
      return 'its secret is shown only once';
    },
    inJson: (secret) => secret,
  };
}
