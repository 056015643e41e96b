/** Why a call is aborted when its client goes away; nobody is left to be told. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Whether a call was aborted for that reason, and not because it took too long. */
export function clientIsGone(signal: AbortSignal): boolean {
  return signal.reason instanceof ClientGone;
}
