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

const MAX_COLUMNS = 100;

/** A key and its value, a plain JSON value, as lines of YAML: in one line if that is short, else with one line per entry. */
export function valueLines(indent: string, key: string, value: unknown): string[] {
  const name = `${indent}${textYaml(key)}:`;
  const line = `${name} ${inlineYaml(value)}`;
  if (line.length <= MAX_COLUMNS || typeof value !== 'object' || value === null) return [line];
  const entries = Array.isArray(value)
    ? value.map((item) => `${indent}  - ${inlineYaml(item)}`)
    : Object.entries(value).flatMap(([inner, item]) => valueLines(`${indent}  `, inner, item));
  return [name, ...entries];
}
