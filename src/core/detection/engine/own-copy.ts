/**
 * A copy of a text in separate memory. A substring keeps the whole original in memory, which for a waiting stream is a network buffer for
 * each substring still in use.
 */
export function ownCopy(part: string): string {
  const middle = part.length >> 1;
  return [part.slice(0, middle), part.slice(middle)].join('');
}
