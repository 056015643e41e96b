/** Starts the service: settings, application, port; and ends it when it is told to. */
import './config/quiet-libraries.js';
import { createApp } from './app.js';
import { loadProcessConfig } from './config/index.js';
import { startErrorText, welcomeText } from './start-texts.js';
import { stopOnSignals } from './stop-on-signals.js';

async function main(): Promise<void> {
  const config = loadProcessConfig();
  const weir = await createApp(config);
  await weir.listen().catch(async (error: unknown) => {
    await weir.close();
    throw error;
  });
  process.stdout.write(welcomeText(config, weir.bootstrapFile));
  stopOnSignals({
    signals: process,
    close: (signal) => weir.close({ isInteractive: signal === 'SIGINT' }),
    // Everything is closed by then; what a library has left open must not keep the process.
    exit: (code) => process.exit(code),
    nowMs: () => performance.now(),
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${startErrorText(error)}\n`);
  process.exit(1);
});
