import type { TestApp } from './test-app.js';

export type Environment = 'development' | 'staging' | 'production';

/** An answer as a client reads it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of every route; a wrong shape fails the test
  readonly json: any;
}

/** The REST interface of a running service, as tests use it. */
export interface RestClient {
  call(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer>;
  /** Sends an event with the key of an environment; a string is sent unchanged as the body. */
  submit(body: unknown, environment?: Environment, headers?: Record<string, string>): Promise<Answer>;
  /** Reads with the management token. */
  read(path: string): Promise<Answer>;
  stored(eventId: string): Promise<Answer['json']>;
}

export function restClient(current: () => TestApp): RestClient {
  const call: RestClient['call'] = async (method, path, headers, body) => {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  const read: RestClient['read'] = (path) =>
    call('GET', path, { authorization: `Bearer ${current().bootstrap.token}` });
  return {
    call,
    read,
    submit: (body, environment = 'production', headers = {}) =>
      call(
        'POST',
        '/v1/events',
        {
          authorization: `Bearer ${current().bootstrap.keys[environment]}`,
          'content-type': 'application/json',
          ...headers,
        },
        typeof body === 'string' ? body : JSON.stringify(body),
      ),
    stored: async (eventId) => (await read(`/v1/events/${eventId}`)).json,
  };
}
