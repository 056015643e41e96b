/** The abort reason of a call whose client has disconnected; nobody receives an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether a call was aborted because its client disconnected, and not because of its time limit. */
export function clientIsGone(signal: AbortSignal): boolean {
  return signal.reason instanceof ClientGone;
}
