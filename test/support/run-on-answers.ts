import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir, type WeirRun } from './run-weir.js';

/**
 * Runs `weir` against a server that answers each request with JSON.
 *
 * @param answer the answer to each request, or the one to the request for this address
 * @returns the run, and the addresses that it requested
 */
export async function runOnAnswers(
  argv: readonly string[],
  answer: object | ((asked: URL) => object),
): Promise<WeirRun & { readonly asked: URL[] }> {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    asked.push(url);
    const body = typeof answer === 'function' ? (answer as (asked: URL) => object)(url) : answer;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return { ...(await runWeir(argv, { env: { WEIR_URL: url, WEIR_TOKEN: 'wt' } })), asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
