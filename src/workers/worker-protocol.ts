/** The messages between a pool and its threads. Plain data, because it is structured-cloned. */
export interface TaskRequest {
  readonly name: string;
  readonly input: unknown;
}

export type TaskReply =
  { readonly ready: true } | { readonly ok: true; readonly value: unknown } | { readonly ok: false };
