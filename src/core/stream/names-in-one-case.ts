import { JsonSyntaxError } from '../json/json-parser.js';
import type { PieceKind } from '../providers/stream-family.js';

/**
 * Refuses a stream that writes the name of a text that continues in upper and in lower case. Parsers in Go take both for one name, so their
 * clients join such texts, and other clients do not. In events of unknown vendors, names in either case may be data, and no text is
 * documented to continue.
 */
export class NamesInOneCase {
  private readonly known = new Map<string, { readonly key: string; readonly continues: boolean }>();

  /**
   * @param key the key of a text
   * @param lowerCase the key that this text would have with its name in lower case
   * @throws JsonSyntaxError if the key differs from another text's key only in the case of the name
   */
  note(key: string, lowerCase: string, kind: PieceKind): void {
    const continues = kind !== 'either';
    const before = this.known.get(lowerCase);
    if (before === undefined) this.known.set(lowerCase, { key, continues });
    else if (before.key !== key && (before.continues || continues))
      throw new JsonSyntaxError('one name in upper and in lower case', '', 0, true);
  }
}
