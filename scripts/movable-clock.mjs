/**
 * Preloaded into the service (`--import`) when pictures are taken: shifts its clocks into the past by the number of milliseconds that
 * its parent last sent, so that the traffic of a minute covers a whole day. Events have the time of the
 * database, so the thread of the embedded database gets the same clocks; all of them read one shared number.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const threads = createRequire(import.meta.url)('node:worker_threads');
const NAME = 'milliseconds behind';
if (threads.isMainThread) {
  threads.setEnvironmentData(NAME, new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, { ...options, execArgv: ['--import', import.meta.url] });
    }
  };
  syncBuiltinESMExports();
}
const behindMs = new Float64Array(threads.getEnvironmentData(NAME));
if (threads.isMainThread) {
  behindMs[0] = Number(process.env.PICTURES_BEHIND_MS);
  process.on('message', (message) => {
    behindMs[0] = message.behindMs;
    process.send({ behindMs: message.behindMs });
  });
  process.channel.unref();
}

const steady = performance.now.bind(performance);
performance.now = () => steady() - behindMs[0];

const now = () => RealDate.now() - behindMs[0];
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
});
