/**
 * The detector `remote`: sends texts to a service of the operator, in the formats of several tools. A failing service is an outage and
 * never a finding.
 */
import type { Finding, JsonValue, RemoteRequest, RemoteText } from '../../src/core/plugin-api.js';
import type { RemoteOptions } from './remote-options.js';

/** Requests and answers of one kind of service, as pure functions. */
export interface Format {
  requests(texts: readonly RemoteText[], options: RemoteOptions): readonly RemoteRequest[];
  /** @throws RemoteAnswerError if the answer does not have this format */
  read(answer: JsonValue, texts: readonly RemoteText[], options: RemoteOptions): readonly (readonly Finding[])[];
}

/** Splits the indices of texts into groups, without texts that contain only white space. */
export function inGroups(texts: readonly RemoteText[], size: number): number[][] {
  const worth = [...texts.keys()].filter((index) => texts[index]!.text.trim() !== '');
  const groups: number[][] = [];
  for (let from = 0; from < worth.length; from += size) groups.push(worth.slice(from, from + size));
  return groups;
}
