import type { JsonValue, Segment } from '../model/call.js';
import type { DetectorMeta } from './detector.js';
import type { Finding, Findings } from '../model/finding.js';

/** A text in the form for a remote service. */
export interface RemoteText {
  readonly text: string;
  /** The nearest JSON object key. */
  readonly key?: string;
  /** The role of the text's author. */
  readonly role: string;
}

/** One request to a service: a POST of JSON, answered with JSON. */
export interface RemoteRequest {
  /** Begins with `/`; appended to the address of the service in the operator's settings. */
  readonly path: string;
  readonly body: JsonValue;
  /** Indices of the texts in the request. */
  readonly texts: readonly number[];
}

/**
 * A detector that calls a service. It builds requests and reads answers, and is as pure as any other: the host owns the address, the
 * credential, the deadline, retries and limits. In `weir test` and in streams it always fails.
 */
export interface RemoteDetector<Code extends string = string, Options = unknown> {
  readonly kind: 'remote';
  readonly meta: DetectorMeta<Code, Options>;
  /** The name of the service in the operator's settings; a policy cannot choose an address. */
  service(options: Options): string;
  /** Requests that together cover every text. */
  requests(texts: readonly RemoteText[], options: Options): readonly RemoteRequest[];
  /**
   * @param texts the texts of the request, in its order
   * @returns the findings of each text, in UTF-16 units
   * @throws RemoteAnswerError if the answer does not have the expected format
   */
  read(answer: JsonValue, texts: readonly RemoteText[], options: Options): readonly (readonly Finding<Code>[])[];
}

/** A remote detector of any code and options, for registries. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- RemoteDetector is invariant in Code and Options; a registry holds all of them
export type AnyRemoteDetector = RemoteDetector<any, any>;

/** An answer of a service does not have the expected format. The message never contains the answer. */
export class RemoteAnswerError extends Error {
  override readonly name = 'RemoteAnswerError';
}

/**
 * A remote detector bound to one policy. `read` drops findings with disabled codes or low scores, and rejects ranges outside their
 * text.
 */
export interface BoundRemote {
  readonly service: string;
  requests(texts: readonly RemoteText[]): readonly RemoteRequest[];
  read(answer: JsonValue, texts: readonly RemoteText[]): readonly (readonly Finding[])[];
}

/** The result of one remote detector for one call. */
export type RemoteResult =
  | { readonly status: 'scanned'; /** By segment. */ readonly findings: readonly Findings[] }
  | { readonly status: 'failed'; readonly reason: 'failed' | 'timeout' | 'not_run' };

/** Sends the requests of a bound remote detector. Provided by the host; never rejects. */
export type AskRemote = (remote: BoundRemote, segments: readonly Segment[], timeoutMs: number) => Promise<RemoteResult>;
