import type { JsonValue, Segment } from '../model/call.js';
import type { DetectorMeta } from './detector.js';
import type { Finding } from '../model/finding.js';

/** A text in the form for a remote service. */
export interface RemoteText {
  readonly text: string;
  /** The nearest JSON object key. */
  readonly key?: string;
  /** Who wrote the text. */
  readonly role: string;
}

/** One request to a service: a POST of JSON, answered with JSON. */
export interface RemoteRequest {
  /** Begins with `/`; appended to the address that the operator's settings give the service. */
  readonly path: string;
  readonly body: JsonValue;
  /** Indices of the texts that it is about. */
  readonly texts: readonly number[];
}

/**
 * A detector that asks a service. It describes requests and reads answers, and is as pure as any other: the host owns
 * the address, the credential, the deadline, retries and limits. `weir test` and streams see it fail, never pass.
 */
export interface RemoteDetector<Code extends string = string, Options = unknown> {
  readonly kind: 'remote';
  readonly meta: DetectorMeta<Code, Options>;
  /** The service's name, which the operator's settings know: a policy cannot choose an address. */
  service(options: Options): string;
  /** Requests that together cover every text. */
  requests(texts: readonly RemoteText[], options: Options): readonly RemoteRequest[];
  /**
   * @param texts those of the request, in its order
   * @returns the findings of each, in UTF-16 units
   * @throws RemoteAnswerError when the answer is not what the format says
   */
  read(answer: JsonValue, texts: readonly RemoteText[], options: Options): readonly (readonly Finding<Code>[])[];
}

/** A remote detector of any code and options, as a registry holds it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- RemoteDetector is invariant in Code and Options; a registry holds all of them
export type AnyRemoteDetector = RemoteDetector<any, any>;

/** A service answered something else than its format says. The message never holds what it said. */
export class RemoteAnswerError extends Error {
  override readonly name = 'RemoteAnswerError';
}

/** A remote detector as one policy uses it. Findings that are off, too weak, or stand outside of their text never leave `read`. */
export interface BoundRemote {
  readonly service: string;
  requests(texts: readonly RemoteText[]): readonly RemoteRequest[];
  read(answer: JsonValue, texts: readonly RemoteText[]): readonly (readonly Finding[])[];
}

/** What the host says about one remote detector and one call. */
export type RemoteResult =
  | { readonly status: 'scanned'; /** By segment. */ readonly findings: readonly (readonly Finding[])[] }
  | { readonly status: 'failed'; readonly reason: 'failed' | 'timeout' | 'not_run' };

/** Sends the requests of a bound remote detector. Provided by the host; never rejects. */
export type AskRemote = (remote: BoundRemote, segments: readonly Segment[], timeoutMs: number) => Promise<RemoteResult>;
