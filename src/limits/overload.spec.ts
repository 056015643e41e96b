import { EventEmitter } from 'node:events';
import type { AppConfig } from '../config/index.js';
import type { Metrics } from '../metrics/index.js';
import { Overload, type ReleaseSlot, type WaitingClient } from './overload.js';

it('Overload runs the callbacks for a client once its call has been judged, even callbacks that are added afterwards', async () => {
  const config = { overload: { targetDelayMs: 50, longestWaitMs: 1_000 } } as AppConfig;
  const metrics = { count: () => () => undefined, gauge: () => undefined } as unknown as Metrics;
  const overload = new Overload(config, metrics);
  const client = new EventEmitter() as unknown as WaitingClient;
  const other = new EventEmitter() as unknown as WaitingClient;
  const order: string[] = [];
  const leave = await overload.enter('rest', ['account', 'key'], client);
  overload.whenJudged(client, () => order.push('before'));
  overload.whenJudged(other, () => order.push('of another'));
  expect(order).toEqual(['of another']);
  leave();
  leave();
  overload.whenJudged(client, () => order.push('afterwards'));
  expect(order).toEqual(['of another', 'before', 'afterwards']);
  overload.onApplicationShutdown();
});

it('Overload admits a call without a promise if it need not wait, and otherwise in its turn or with a refusal', async () => {
  const config = { overload: { targetDelayMs: 50, longestWaitMs: 1_000 } } as AppConfig;
  const metrics = { count: () => () => undefined, gauge: () => undefined } as unknown as Metrics;
  const overload = new Overload(config, metrics);
  const client = new EventEmitter();
  const admitted: ReleaseSlot[] = [];
  let waiting = overload.enter('rest', ['account', 'key']);
  for (; !(waiting instanceof Promise); waiting = overload.enter('rest', ['account', 'key'])) admitted.push(waiting);
  expect(admitted.length).toBeGreaterThan(0);
  expect(admitted.map(({ waited }) => waited)).toEqual(admitted.map(() => false));
  const leaving = overload.enter('rest', ['account', 'key'], client as unknown as WaitingClient);
  client.emit('close');
  await expect(leaving).rejects.toMatchObject({ type: 'overloaded' });
  expect(client.listenerCount('close')).toBe(0);
  admitted[0]!();
  expect((await waiting).waited).toBe(true);
  overload.onApplicationShutdown();
});
