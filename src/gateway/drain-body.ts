import type { UpstreamExchange } from './upstream-exchange.js';
import type { CollectedBody } from './collected-body.js';
import { leavable } from './unpacked-pieces.js';

/** Whether the policy requires that answers are read to their end although the client has disconnected. */
export function drains({ record }: Pick<UpstreamExchange, 'record'>): boolean {
  return record.call.policy.policy.onDisconnect === 'drain';
}

/**
 * Ends the call of an answer whose client has disconnected: at once, or, where the policy requires it, after the
 * provider's answer is complete, so that its token counts are known. The call's time and size limits still apply.
 *
 * @param rest the unread part of the body, in the same form as the collected part
 * @returns true when the answer is complete
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
    // The answer broke off: only the received part is recorded.
    return false;
  } finally {
    body.destroy();
  }
}
