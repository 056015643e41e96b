/** Commands for administering accounts and the installation. Groups of commands have separate folders. */
import { z } from 'zod';
import { defineCommand } from '../../command.js';
import { completionScript, SHELLS, type Shell } from '../../completion/script.js';
import { EXIT } from '../../exit-code.js';
import { write } from '../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), shell: z.enum(SHELLS), script: z.string() });
const HOW: Readonly<Record<Shell, string>> = {
  bash: 'use it: source <(weir completion bash)',
  zsh: 'use it: source <(weir completion zsh)',
  fish: 'use it: weir completion fish | source',
};

/** `weir completion`: prints a script with which a shell completes commands and flags. */
export const completion = defineCommand({
  usage: 'completion <shell>',
  summary: 'Print a completion script for bash, zsh or fish',
  positionals: {
    shell: {
      choices: SHELLS,
      demandOption: true,
      describe: 'Shell',
    },
  },
  output: OUTPUT,

  async run({ shell, json }, { io, commandWords }) {
    const script = completionScript(shell, await commandWords());
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, shell, script })}\n` : script);
    return { exit: EXIT.ok, words: HOW[shell] };
  },
});
