import { JsonSyntaxError } from '../json/json-parser.js';

/** The number of characters that the paths of a body's texts may have together: at least this many, and more for a longer body. */
const LEAST_UNITS = 4_194_304;
/** A path has about 60 characters, and a text with its quotes and its comma at least 4. */
const UNITS_OF_A_CHARACTER = 32;

/**
 * Limits the memory for the paths of a body's texts: every path contains the names of all members around the text, so a small body in which
 * long names surround very many texts would need gigabytes.
 */
export class PathLimit {
  private units = 0;

  /**
   * Counts the path of one more text.
   * @param characters the length of the body
   * @throws JsonSyntaxError over the limit
   */
  count(path: string, characters: number): void {
    this.units += path.length;
    if (this.units > LEAST_UNITS + UNITS_OF_A_CHARACTER * characters)
      throw new JsonSyntaxError('The paths of the texts are too long together', '', 0, true);
  }
}
