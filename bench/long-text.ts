/** A text of the given length, different for each `count`: with an e-mail address in every third word, or without any finding. */
export function longText(units: number, count: number, finds: boolean): string {
  const words = finds
    ? (index: number): string => `mail a${index}@b.example now `
    : (index: number): string => `the plan ${index} moved to Thursday `;
  const parts: string[] = [];
  let index = count * 1_000_003;
  for (let length = 0; length < units;) {
    const part = words(index++);
    parts.push(part);
    length += part.length;
  }
  return parts.join('').slice(0, units);
}
