/** Why a call is aborted when its client disconnects; nobody receives an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether a call was aborted for that reason, and not because it took too long. */
export function clientIsGone(signal: AbortSignal): boolean {
  return signal.reason instanceof ClientGone;
}
