import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** As `nice` counts. */
const NICE = '10';

/**
 * Runs a built program that is a client whom nobody measures, and stands back behind everything that is measured: on one machine,
 * the work of making load would otherwise be told as the service's slowness. Where its client ran elsewhere, the service would have the
 * processors to itself.
 *
 * @param program built file that calls {@link serveFarAway}
 * @param input goes through JSON, as its result does
 */
export async function runFarAway<Input, Result>(program: string, input: Input): Promise<Result> {
  const child = spawn('nice', ['-n', NICE, process.execPath, program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${program} ended with ${String(code)} and no result`);
  });
  child.send(input as object);
  try {
    const [result] = (await Promise.race([once(child, 'message'), gone])) as [Result];
    return result;
  } finally {
    gone.catch(() => undefined);
    child.kill();
  }
}

/** The other side of {@link runFarAway}: does the work once. */
export function serveFarAway<Input, Result>(work: (input: Input) => Promise<Result>): void {
  process.once('message', (input) => {
    void work(input as Input).then((result) => process.send?.(result as object));
  });
}
