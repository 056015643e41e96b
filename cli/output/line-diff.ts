import { diffArrays } from 'diff';

/** Common lines, lines only in the first text, and lines only in the second, in order. */
export type LineChange = { readonly kind: ' ' | '-' | '+'; readonly text: string };

/** The shortest edit script between two lists of lines. */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  return diffArrays([...before], [...after]).flatMap(({ value, added, removed }) => {
    const kind = added ? '+' : removed ? '-' : ' ';
    return value.map((text) => ({ kind, text }) as const);
  });
}
