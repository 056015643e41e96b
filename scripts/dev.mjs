/**
 * `npm run dev`: builds and runs the service, and restarts it when sources change; changed policies are reloaded without a restart.
 * The dashboard has its own port with hot reload; its requests are forwarded to the service.
 */
import { spawn } from 'node:child_process';

const api = `http://localhost:${process.env.PORT ?? '8080'}`;
const env = {
  ...process.env,
  WEIR_POLICIES_WATCH: process.env.WEIR_POLICIES_WATCH ?? 'on',
  WEIR_DEV_API: api,
};
const nest = spawn(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'start', '--watch'], {
  stdio: 'inherit',
  env,
});
const vite = spawn(process.execPath, ['node_modules/vite/bin/vite.js', 'dashboard'], { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    nest.kill(signal);
    vite.kill(signal);
  });
nest.on('exit', (code) => {
  vite.kill();
  process.exitCode = code ?? 1;
});
