import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stopOnSignals } from './stop-on-signals.js';

function stand(close: () => Promise<void>) {
  const signals = new EventEmitter();
  const codes: number[] = [];
  const clock = { ms: 0 };
  stopOnSignals({ signals, close, exit: (code) => void codes.push(code), nowMs: () => clock.ms });
  return { signals, codes, clock };
}

describe('stopOnSignals', () => {
  it('closes once and ends with 0 even if every launcher passes on the same Ctrl-C', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let closed = 0;
    const { signals, codes, clock } = stand(() => {
      closed += 1;
      return promise;
    });
    for (const ms of [0, 1, 40, 999]) {
      clock.ms = ms;
      signals.emit('SIGINT');
    }
    expect([closed, codes]).toEqual([1, []]);
    resolve();
    await nextTurn();
    expect(codes).toEqual([0]);
  });

  it('ends at once when a second signal arrives after a while', () => {
    const { signals, codes, clock } = stand(() => new Promise(() => undefined));
    signals.emit('SIGTERM');
    clock.ms = 1_000;
    signals.emit('SIGINT');
    expect(codes).toEqual([1]);
  });

  it('closes in order when its terminal is closed', async () => {
    const { signals, codes } = stand(() => Promise.resolve());
    signals.emit('SIGHUP');
    await nextTurn();
    expect(codes).toEqual([0]);
  });

  it('ends with 1 when closing fails', async () => {
    const { signals, codes } = stand(() => Promise.reject(new Error('no')));
    signals.emit('SIGTERM');
    await nextTurn();
    expect(codes).toEqual([1]);
  });
});
