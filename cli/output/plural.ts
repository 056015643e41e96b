/** A count with its noun, such as `1 rule` or `2 rules`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
