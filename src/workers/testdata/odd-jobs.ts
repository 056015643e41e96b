import { workerData } from 'node:worker_threads';
import { serveTasks } from '../serve-tasks.js';

const { mark } = workerData as { readonly mark: string };

serveTasks({
  shout: (text: string) => `${text.toUpperCase()}${mark}`,
  settings: () => Object.keys(process.env),
  /** Never ends by itself, within a single regular expression. */
  loop: () => /^(a+)+$/.test(`${'a'.repeat(60)}b`),
  /** Makes large allocations, which would end the whole process if they exceeded V8's own limits. */
  hoard: () => {
    const held: number[] = [];
    for (;;) held.push(held.length * 1.5);
  },
  buffers: () => {
    const held: Buffer[] = [];
    for (;;) held.push(Buffer.alloc(1_000_000, 1));
  },
  fail: (text: string) => {
    throw new Error(`cannot read ${text}`);
  },
  leave: () => process.exit(3),
  uncloneable: () => () => undefined,
  /** Waits for a signal from outside. */
  hold: (gate: Int32Array<SharedArrayBuffer>) => Atomics.wait(gate, 0, 0),
});
