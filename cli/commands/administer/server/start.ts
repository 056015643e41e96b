import { defineCommand } from '../../../command.js';
import { CliError, EXIT, type ExitCode } from '../../../exit-code.js';
import { write, type Io } from '../../../io.js';
import { serverConfig } from '../../../server/with-database.js';

/** `weir server start`: the service in this process, until it is told to stop. Running calls finish first. */
export const serverStart = defineCommand({
  usage: 'start',
  summary: 'Start the service',

  async run(_args, { io }) {
    const config = await serverConfig(io);
    const { createApp } = await import('../../../../src/app.js');
    const { welcomeText } = await import('../../../../src/start-texts.js');
    try {
      const weir = await createApp(config);
      try {
        await weir.listen();
        await write(io.stdout, welcomeText(config, weir.bootstrapFile));
        await interruption(io);
      } finally {
        await weir.close();
      }
    } catch (error) {
      throw await inWords(error, io);
    }
    return { exit: EXIT.ok, words: 'stopped' };
  },
});

function interruption({ signal }: Io): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The server's own words for what keeps it from starting, and the exit code of that kind. */
async function inWords(error: unknown, io: Io): Promise<CliError> {
  const { startErrorText } = await import('../../../../src/start-texts.js');
  const { PolicyLoadError } = await import('../../../../src/policy-store/index.js');
  await write(io.stderr, `${startErrorText(error)}\n`);
  const exit: ExitCode = error instanceof PolicyLoadError ? EXIT.uncompilable : EXIT.unavailable;
  return new CliError(exit, 'the service did not start; the reason is above');
}
