import { defineCommand } from '../../../command.js';
import type { AppConfig } from '../../../../src/config/index.js';
import { CliError, EXIT, type ExitCode, type Outcome } from '../../../exit-code.js';
import { write, type Io } from '../../../io.js';
import { serverConfig } from '../../../server/with-database.js';

/**
 * `weir server start`: runs the service until it is stopped, in this process or in several processes that this one supervises. When it
 * is stopped, running calls finish first.
 */
export const serverStart = defineCommand({
  usage: 'start',
  summary: 'Start the service',
  endsInOrder: true,
  epilogue:
    'Its settings are environment variables, such as PORT (default: 8080), HOST, DATABASE_URL and WEIR_DATA_DIR. docs/reference/config.md describes all of them.',

  async run(_args, { io }) {
    const config = await serverConfig(io);
    if (config.workers.count > 1) return supervised(config, io);
    const { createApp } = await import('../../../../src/app.js');
    const { welcomeText } = await import('../../../../src/start-texts.js');
    const { lowerV8ThreadPriority } = await import('../../../../src/workers/index.js');
    lowerV8ThreadPriority();
    try {
      const weir = await createApp(config);
      try {
        await weir.listen();
        await write(io.stdout, welcomeText(config, weir.bootstrapFile));
        // Closing in order is impossible then, and acknowledged events are stored.
        // Ends at once, because an orderly end waits for the database, which is lost.
        void weir.lost.then(() => process.exit(EXIT.unavailable));
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

/** Runs several worker processes: this process starts them, and ends after all of them. */
async function supervised(config: AppConfig, io: Io): Promise<Outcome> {
  const { createSupervisor } = await import('../../../../src/supervise.js');
  const supervisor = await createSupervisor(config, (text) => void io.stdout.write(text)).catch(
    async (error: unknown) => {
      throw await inWords(error, io);
    },
  );
  const ended = supervisor.run();
  void interruption(io).then(() => supervisor.stop('SIGTERM'));
  if ((await ended) === 0) return { exit: EXIT.ok, words: 'stopped' };
  throw new CliError(EXIT.unavailable, 'a worker of the service failed; the reason is above');
}

function interruption({ signal }: Io): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Prints the server's message for a failed start; returns an error with the matching exit code. */
async function inWords(error: unknown, io: Io): Promise<CliError> {
  const { startErrorText } = await import('../../../../src/start-texts.js');
  const { PolicyLoadError } = await import('../../../../src/policy-store/index.js');
  await write(io.stderr, `${startErrorText(error)}\n`);
  const exit: ExitCode = error instanceof PolicyLoadError ? EXIT.uncompilable : EXIT.unavailable;
  return new CliError(exit, 'the service did not start; the reason is above');
}
