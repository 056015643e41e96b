/** Starts the service: settings, application, port; and ends it when it is told to. */
import './config/quiet-libraries.js';
import { createApp } from './app.js';
import { loadProcessConfig } from './config/index.js';
import { startErrorText, welcomeText } from './start-texts.js';

async function main(): Promise<void> {
  const config = loadProcessConfig();
  const weir = await createApp(config);
  await weir.listen().catch(async (error: unknown) => {
    await weir.close();
    throw error;
  });
  process.stdout.write(welcomeText(config, weir.bootstrapFile));
  let stopping = false;
  const stop = (): void => {
    // A second signal means: now.
    if (stopping) process.exit(1);
    stopping = true;
    weir.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${startErrorText(error)}\n`);
  process.exit(1);
});
