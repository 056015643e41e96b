import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { regexExtent } from '../../src/core/plugin-api.js';

export const MAX_PATTERN_UNITS = 1_000;
/** Maximum instructions of a compiled pattern, RE2's measure of its cost. `x{1000}` has about a thousand. */
export const MAX_PROGRAM = 5_000;

export interface OperatorPattern {
  readonly program: RE2JS;
  /** Maximum length of a match in UTF-16 units; infinite for `*`, `+` and syntax that JavaScript cannot parse. */
  readonly longest: number;
  /** The unit of text that a match certainly does not exceed. */
  readonly within: 'word' | 'line' | 'text';
}

/**
 * Compiles a pattern of the RE2 syntax (https://github.com/google/re2/wiki/Syntax). `^` and `$` match at the starts and ends of lines.
 *
 * @throws RangeError with the reason why the pattern is unusable, written for the author of a policy
 */
export function compileOperatorPattern(source: string, caseSensitive: boolean): OperatorPattern {
  if (source.length > MAX_PATTERN_UNITS)
    throw new RangeError(`a pattern can have at most ${MAX_PATTERN_UNITS} characters`);
  const program = compileRe2(source, RE2JS.MULTILINE | (caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE));
  if (program.programSize() > MAX_PROGRAM) {
    throw new RangeError('the pattern is too large: shorten its repetitions ({n,m}) and alternatives');
  }
  if (program.testExact('')) throw new RangeError('the pattern matches an empty text, so it would match everywhere');
  return { program, longest: longestMatch(source), within: limitOf(source) };
}

function compileRe2(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    if (/\(\?<?[=!]/.test(source)) {
      throw new RangeError('look-ahead and look-behind do not exist in the RE2 syntax', { cause: error });
    }
    if (error instanceof RE2JSSyntaxException) {
      const part = error.getPattern();
      const where = part === null || part === undefined || part === '' ? '' : ` at "${part.slice(0, 40)}"`;
      throw new RangeError(`the pattern cannot be read: ${error.getDescription()}${where}`, { cause: error });
    }
    if (error instanceof RE2JSException) throw new RangeError('the pattern cannot be read', { cause: error });
    throw error;
  }
}

function longestMatch(source: string): number {
  try {
    // Both grammars agree on lengths of matches, except that a character in RE2 can have two units.
    return 2 * regexExtent(new RegExp(source)).maxLength;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Checks whether parts of a pattern can match a line break or white space; in doubt, assumes that they can. */
function limitOf(source: string): OperatorPattern['within'] {
  if (/\\[sDWPpnrtvfxQEC0-7]|\[\^|\(\?[a-zA-Z]*s|[\n\r]|\[\[:/.test(source)) return 'text';
  return /(?<!\\)\.|\s/.test(source) ? 'line' : 'word';
}
