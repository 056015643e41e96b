/** Formats of reports and tables, such as JUnit, SARIF and TAP. They only print their input. */
import { styleText } from 'node:util';
import type { Io, MaybeTerminal } from '../io.js';

type Paint = (text: string) => string;
export interface Colours {
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly dim: Paint;
  readonly bold: Paint;
}

const STYLES = ['red', 'green', 'yellow', 'dim', 'bold'] as const;

/**
 * Colours for one stream, or none: `--color` and `--no-color` decide, then `NO_COLOR` (https://no-color.org: any
 * non-empty value), then `FORCE_COLOR` (`0` and `false` mean no), then whether the stream is a terminal.
 */
export function colours(stream: MaybeTerminal<object>, env: Io['env'], asked: boolean | undefined): Colours {
  const on = asked ?? wanted(stream, env);
  return Object.fromEntries(
    STYLES.map((style) => [style, (text: string) => (on ? styleText(style, text, { validateStream: false }) : text)]),
  ) as unknown as Colours;
}

function wanted(stream: MaybeTerminal<object>, env: Io['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
