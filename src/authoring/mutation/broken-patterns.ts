const NOTHING = '[^\\s\\S]';

/**
 * Mistakes in a regular expression: it matches nothing, one digit or letter in place of a class, another count. Each is
 * an expression of RE2 again.
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
