/**
 * The same text in memory of its own. A part of a text keeps the whole of it in memory, which for a stream that waits is
 * a network buffer's worth for each part that is still needed.
 */
export function ownCopy(part: string): string {
  const middle = part.length >> 1;
  return [part.slice(0, middle), part.slice(middle)].join('');
}
