/** The findings of a stream of a detector's patterns in a text that arrives in pieces. */
import type { Finding } from '../../src/core/index.js';

interface Stream {
  push(piece: string): { readonly findings: readonly Finding[]; readonly upTo: number };
  end(): { readonly findings: readonly Finding[]; readonly upTo: number };
}

/**
 * @param whole the findings in the whole text
 * @returns all findings of the stream, and whether it has released text of a finding before reporting the finding
 */
export function streamedFindings(
  stream: Stream,
  pieces: readonly string[],
  whole: readonly Finding[],
): { readonly released: Finding[]; readonly isEarly: boolean } {
  const released: Finding[] = [];
  let isEarly = false;
  for (const piece of [...pieces, undefined]) {
    const { findings, upTo } = piece === undefined ? stream.end() : stream.push(piece);
    released.push(...findings);
    isEarly ||= whole.slice(released.length).some(({ start }) => start < upTo);
  }
  return { released, isEarly };
}
