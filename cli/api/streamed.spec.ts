import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Io } from '../io.js';
import { ApiClient } from './api-client.js';

/** A time limit that no other timer has. */
const LIMIT_MS = 54_321_000;

describe('A streamed response', () => {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  /** The running timers of the time limit. */
  const running = new Set<unknown>();

  beforeEach(() => {
    running.clear();
    globalThis.setTimeout = ((action: () => void, delayMs?: number) => {
      const timer = start(action, delayMs);
      if (delayMs === LIMIT_MS) running.add(timer);
      return timer;
    }) as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      running.delete(timer);
      stop(timer);
    };
  });
  afterEach(() => {
    globalThis.setTimeout = start;
    globalThis.clearTimeout = stop;
  });

  it('has a time limit while it waits for the server, and none while its reader is busy', async () => {
    let response: ServerResponse | undefined;
    const server = createServer((_request, answer) => {
      response = answer;
      answer.write('one');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const io = { signal: new AbortController().signal } as Io;
    const stream = new ApiClient({ url }, io, LIMIT_MS).stream('/v1/events/export');
    const next = async (): Promise<string | undefined> => {
      const step = await stream.next();
      return step.done === true ? undefined : Buffer.from(step.value).toString();
    };
    try {
      const first = next();
      expect(running.size).toBe(1);
      expect(await first).toBe('one');
      expect(running.size).toBe(0);
      const second = next();
      expect(running.size).toBe(1);
      response?.end('two');
      expect(await second).toBe('two');
      expect(await next()).toBeUndefined();
      expect(running.size).toBe(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
