/** Starts the service: in this process, or, with `WEIR_WORKERS`, in several processes that this one supervises. */
import './config/quiet-libraries.js';
import './config/network-defaults.js';
import { loadProcessConfig, type AppConfig } from './config/index.js';
import { ownWorkerNumber, SupervisorLine } from './processes/index.js';
import { stopOnSignals } from './stop-on-signals.js';

async function main(): Promise<void> {
  const number = ownWorkerNumber();
  const config = loadProcessConfig(number);
  if (number === undefined && config.workers.count > 1) return supervise(config);
  const line = number === undefined ? undefined : SupervisorLine.ofThisProcess();
  const { serve } = await import('./serve.js');
  await serve(config, line);
}

async function supervise(config: AppConfig): Promise<void> {
  const { createSupervisor } = await import('./supervise.js');
  const supervisor = await createSupervisor(config, (text) => process.stdout.write(text));
  const ended = supervisor.run();
  stopOnSignals({
    signals: process,
    close: async (signal) => {
      supervisor.stop(signal);
      if ((await ended) !== 0) throw new Error('a worker did not shut down cleanly');
    },
    // By now all workers have ended or were given up, so there is nothing to wait for.
    exit: (code) => process.exit(code),
    nowMs: () => performance.now(),
  });
  // The workers ended without a signal; they have reported the reason themselves.
  process.exit(await ended);
}

main().catch(async (error: unknown) => {
  const { startErrorText } = await import('./start-texts.js');
  process.stderr.write(`${startErrorText(error)}\n`);
  process.exit(1);
});
