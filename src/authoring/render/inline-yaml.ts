/** Characters that make a plain scalar safe in flow style; words that YAML 1.2 reads as another type stay quoted. */
const PLAIN = /^[A-Za-z_$/][A-Za-z0-9_./@$+-]*$/;
const NOT_TEXT = /^(?:true|false|null|~|[+-]?\.?(?:inf|nan))$/i;

/** A plain JSON value as one line of YAML 1.2 in flow style. */
export function inlineYaml(value: unknown): string {
  if (typeof value === 'string') return textYaml(value);
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => `${textYaml(key)}: ${inlineYaml(inner)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return JSON.stringify(value) ?? 'null';
}

function textYaml(text: string): string {
  return PLAIN.test(text) && !NOT_TEXT.test(text) ? text : JSON.stringify(text);
}
