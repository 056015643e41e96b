import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { exportTelemetry } from './export-telemetry.js';

/** The service is killed if it has not ended so long after its calls: see `CLOSING_MS` in `src/supervise.ts`. */
const KILLED_AFTER_MS = 8_000;

describe('The export to a collector that does not answer', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let unanswered: ServerResponse[];
  beforeEach(async () => {
    unanswered = [];
    answer = (response) => void unanswered.push(response);
    server = createServer((_request, response) => answer(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => {
    mock.timers.reset();
    answer = (response) => void response.setHeader('connection', 'close').end('{}');
    for (const response of unanswered) answer(response);
    server.close();
  });

  it('ends before the service would be killed', async () => {
    const asked = once(server, 'request');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { tracer, close } = exportTelemetry({ endpoint, version: '1', figures: () => Promise.resolve([]) });
    tracer.call('GET', undefined).end({ status: 200, route: '/healthz' });
    const closed = close();
    await asked;
    mock.timers.tick(KILLED_AFTER_MS / 2);
    await closed;
    expect(unanswered).not.toEqual([]);
  });
});
