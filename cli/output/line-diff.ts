import { diffArrays } from 'diff';

/** Lines that both have, that only the first has, and that only the second has, in order. */
export type LineChange = { readonly kind: ' ' | '-' | '+'; readonly text: string };

/** The shortest edit of one list of lines into another. */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  return diffArrays([...before], [...after]).flatMap(({ value, added, removed }) => {
    const kind = added ? '+' : removed ? '-' : ' ';
    return value.map((text) => ({ kind, text }) as const);
  });
}
