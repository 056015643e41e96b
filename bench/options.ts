/** The value after `--name` in the command line of the bench. */
export function option(name: string, fallback: string): string {
  const index = process.argv.indexOf(`--${name}`);
  return index === -1 ? fallback : (process.argv[index + 1] ?? fallback);
}

/** The number after `--name`. */
export function numberOption(name: string, fallback: number): number {
  return Number(option(name, String(fallback)));
}
