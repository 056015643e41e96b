/** The service in this process: settings, application, port; and its shutdown. */
import { createApp } from './app.js';
import type { AppConfig } from './config/index.js';
import type { SupervisorLine } from './processes/index.js';
import { welcomeText } from './start-texts.js';
import { stopOnSignals } from './stop-on-signals.js';
import { lowerV8ThreadPriority } from './workers/index.js';

/** @param line the connection to the supervisor, if one has started this process */
export async function serve(config: AppConfig, line?: SupervisorLine): Promise<void> {
  lowerV8ThreadPriority();
  const weir = await createApp(config, line === undefined ? {} : { line });
  // Without its database, the process answers every call with 503, and no liveness probe would notice. An orderly end is not possible,
  // because it waits for the database; acknowledged events are stored by then.
  void weir.lost.then(() => process.exit(1));
  await weir.listen().catch(async (error: unknown) => {
    await weir.close();
    throw error;
  });
  const welcome = welcomeText(config, weir.bootstrapFile);
  if (line === undefined) process.stdout.write(welcome);
  stopOnSignals({
    signals: process,
    close: (signal) => weir.close({ isInteractive: signal === 'SIGINT' }),
    // By now everything is closed; handles that a library has left open must not keep the process alive.
    exit: (code) => process.exit(code),
    nowMs: () => performance.now(),
  });
  line?.ready(welcome);
}
