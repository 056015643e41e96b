import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Lower priority than the measured processes, in the units of `nice`. */
const NICE = '10';

/**
 * Runs a built program as a client with low priority, so that the measured programs get the processors first: on one machine, generating
 * the load would otherwise slow the service down and count as latency of the service. A client on another machine would leave all
 * processors to the service.
 *
 * @param program built file that calls {@link serveLowPriority}
 * @param input serialised as JSON, like the result
 */
export async function runLowPriority<Input, Result>(program: string, input: Input): Promise<Result> {
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

/** Counterpart of {@link runLowPriority} in the program: does the work for one input and sends the result. */
export function serveLowPriority<Input, Result>(work: (input: Input) => Promise<Result>): void {
  process.once('message', (input) => {
    void work(input as Input).then((result) => process.send?.(result as object));
  });
}
