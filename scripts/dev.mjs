/** `npm run dev`: builds, runs, and starts again when sources change; policies are reloaded while it runs. */
import { spawn } from 'node:child_process';

const nest = spawn(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'start', '--watch'], {
  stdio: 'inherit',
  env: { ...process.env, WEIR_POLICIES_WATCH: process.env.WEIR_POLICIES_WATCH ?? 'on' },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => nest.kill(signal));
nest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
