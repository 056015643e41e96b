const NOTHING = '[^\\s\\S]';

/**
 * Mutations of a regular expression: it matches nothing, one digit or letter replaces a class, or a count changes. Each result is a valid
 * RE2 expression.
 */
export function brokenPatterns(pattern: string): string[] {
  const mistakes = [
    NOTHING,
    pattern.replace(/(?<!\\)\\d(?:\{\d+(?:,\d*)?\}|[+*])?/, '9'),
    pattern.replace(/(?<!\\)\\w(?:\{\d+(?:,\d*)?\}|[+*])?/, 'a'),
    pattern.replace(/(?<!\\)\{(\d+)\}/, (_, count: string) => `{${Number(count) + 1}}`),
    pattern.replace(/(?<!\\)\[([A-Za-z0-9])-[A-Za-z0-9]\]/, '$1'),
  ];
  return [...new Set(mistakes)].filter((one) => one !== pattern);
}
