import type { TestApp } from './test-app.js';

/** An event as `GET /v1/events` returns it. */
export interface RecordedEvent {
  readonly [key: string]: unknown;
  readonly type: string;
  readonly reason?: string | null;
  readonly payload?: unknown;
}

/** Reads all events of one proxied call that are in the log so far. */
export async function recordedEvents(app: TestApp, requestId: string): Promise<readonly RecordedEvent[]> {
  const response = await fetch(`${app.url}/v1/events?request_id=${requestId}`, {
    headers: { authorization: `Bearer ${app.bootstrap.token}` },
  });
  return ((await response.json()) as { data: RecordedEvent[] }).data;
}

/** Waits until the answer or the error of a call is in the log: some are stored only after the client has received them. */
export async function recordedAnswer(app: TestApp, requestId: string): Promise<RecordedEvent> {
  for (;;) {
    const events = await recordedEvents(app, requestId);
    const found = events.find(({ type }) => type === 'ai.response' || type === 'ai.error');
    if (found !== undefined) return found;
  }
}
