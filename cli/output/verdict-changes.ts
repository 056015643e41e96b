import type { PolicyComparison, SearchReport } from '../../src/authoring/index.js';

/** The extent of a search, so that readers can judge a result without changes. */
export function searchLines(
  searched: readonly SearchReport[],
  changedDetectors: readonly string[],
  texts: PolicyComparison['texts'] = new Map(),
): string[] {
  return [
    ...searched.map(({ stage, requests, enumerated, sampled, openFacts, complete }) => {
      const how = [
        complete
          ? 'every combination of boundary values'
          : `all boundary values of ${count(enumerated.length, 'rule')}`,
        ...(sampled.length === 0 ? [] : [`samples for ${sampled.join(', ')}`]),
        ...(openFacts.length === 0 ? [] : [`values of ${openFacts.join(', ')} are samples`]),
      ];
      return `stage ${stage}: ${count(requests, 'request')} judged, ${how.join('; ')}`;
    }),
    ...changedDetectors.map(
      (key) =>
        `detector ${key} has another configuration: its findings are not compared; use policy tests to compare them`,
    ),
    ...[...texts].flatMap(([key, { tried, shorter }]) => [
      `detector ${key} has another configuration: both versions scanned ${count(tried, 'text')} made from its options`,
      ...(shorter.length === 0 ? [] : [`detector ${key} finds less of ${JSON.stringify(shorter[0])} than before`]),
    ]),
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
