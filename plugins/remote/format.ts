/**
 * Detectors that ask a service of the operator, in the formats of several tools. A service that fails is an outage and
 * never a finding.
 */
import type { Finding, JsonValue, RemoteRequest, RemoteText } from '../../src/core/plugin-api.js';
import type { RemoteOptions } from './remote-options.js';

/** How one kind of service is asked and understood. Pure. */
export interface Format {
  requests(texts: readonly RemoteText[], options: RemoteOptions): readonly RemoteRequest[];
  /** @throws RemoteAnswerError when the answer is not what the format says */
  read(answer: JsonValue, texts: readonly RemoteText[], options: RemoteOptions): readonly (readonly Finding[])[];
}

/** Splits the indices of texts into groups; texts without a character that could matter are left out. */
export function inGroups(texts: readonly RemoteText[], size: number): number[][] {
  const worth = [...texts.keys()].filter((index) => texts[index]!.text.trim() !== '');
  const groups: number[][] = [];
  for (let from = 0; from < worth.length; from += size) groups.push(worth.slice(from, from + size));
  return groups;
}
