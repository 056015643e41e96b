import type { UpstreamExchange } from './upstream-exchange.js';
import type { CollectedBody } from './collected-body.js';
import { leavable } from './unpacked-pieces.js';

/** Whether the policy requires that answers are read to their end although the client has disconnected. */
export function drains({ record }: Pick<UpstreamExchange, 'record'>): boolean {
  return record.call.policy.policy.onDisconnect === 'drain';
}

/**
 * Ends the call of an answer whose client is gone: at once, or, where the policy says so, when the provider has come to
 * its end, so that its counts are known. A call's time limit, and that of its size, hold all the same.
 *
 * @param rest what nobody has read of the body yet, in the form in which the rest of it was collected
 * @returns true when the answer is whole
 */
export async function abandonedBody(
  exchange: UpstreamExchange,
  collected: CollectedBody,
  rest: () => AsyncIterable<Buffer> = () => leavable(exchange.answer.body),
): Promise<boolean> {
  const { body } = exchange.answer;
  if (!drains(exchange)) {
    body.destroy();
    return false;
  }
  try {
    for await (const chunk of rest()) if (!collected.add(chunk)) return false;
    return body.readableEnded;
  } catch {
    // It broke off: what came of it is what there is.
    return false;
  } finally {
    body.destroy();
  }
}
