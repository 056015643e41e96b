import { islandsOf, type Island } from './disguises.js';
import { encodedRunsOf, type EncodedRun } from './encoded-runs.js';
import { separatedRunsOf } from './separated-runs.js';
import { normalise, type NormaliseOptions, type Shadow } from './normalise.js';
import { readTokens } from './tokens.js';
import type { JointWords, WordHits } from './word-index.js';

const NOTHING: readonly never[] = [];

/** A part of a text that is read separately, with its shared reading. */
export interface Inner<Place> {
  readonly place: Place;
  readonly reading: SharedReading;
}

/**
 * Data about one text that detectors share: its normalised copies, and the positions of words and tokens. Created for each text of a
 * call and passed to every detector. Each item is computed by the first detector that needs it, and does not affect findings.
 */
export class SharedReading {
  // Created when a detector needs them: all findings in most texts of a conversation are known from earlier calls.
  private shadows: Map<number, Shadow | undefined> | undefined;
  private tokenLists: { readonly text: string; readonly tokens: readonly number[] }[] | undefined;
  private read: { readonly joint: JointWords; readonly text: string; readonly hits: readonly WordHits[] }[] | undefined;
  private islandList: readonly Inner<Island>[] | undefined;
  private runList: readonly Inner<EncodedRun>[] | undefined;

  constructor(readonly text: string) {}

  /** Parts with hidden letters. */
  get islands(): readonly Inner<Island>[] {
    if (this.islandList === undefined) {
      const islands = islandsOf(this.text);
      const inner = (place: Island): Inner<Island> => ({
        place,
        reading: new SharedReading(this.text.slice(place.from, place.to)),
      });
      this.islandList = islands.length === 0 ? NOTHING : islands.map(inner);
    }
    return this.islandList;
  }

  /** Runs of base64, base32, hexadecimal digits or rows of numbers. */
  get runs(): readonly Inner<EncodedRun>[] {
    if (this.runList === undefined) {
      const runs = [...encodedRunsOf(this.text), ...separatedRunsOf(this.text)];
      this.runList =
        runs.length === 0 ? NOTHING : runs.map((place) => ({ place, reading: new SharedReading(place.text) }));
    }
    return this.runList;
  }

  /** Returns `shared` if it belongs to this text, else a new reading that is not shared. */
  static of(text: string, shared: SharedReading | undefined): SharedReading {
    return shared?.text === text ? shared : new SharedReading(text);
  }

  /** The normalised copy of the text; undefined if normalising does not change it. */
  normalised(options: NormaliseOptions): Shadow | undefined {
    const name =
      (options.stripAccents === true ? 1 : 0) +
      (options.escapes === true ? 2 : 0) +
      (options.disguises === true ? 4 : 0) +
      (options.parting === true ? 8 : 0);
    const shadows = (this.shadows ??= new Map<number, Shadow | undefined>());
    if (!shadows.has(name)) shadows.set(name, normalise(this.text, options));
    return shadows.get(name);
  }

  /** Positions of the words of a policy's detectors in a copy of the text, or in a key. */
  words(joint: JointWords, text: string): readonly WordHits[] {
    const read = (this.read ??= []);
    const known = read.find((one) => one.joint === joint && one.text === text);
    if (known !== undefined) return known.hits;
    const hits = joint.read(text);
    read.push({ joint, text, hits });
    return hits;
  }

  /** The result of `readTokens` for a copy of the text. */
  tokens(text: string): readonly number[] {
    const lists = (this.tokenLists ??= []);
    const known = lists.find((one) => one.text === text);
    if (known !== undefined) return known.tokens;
    const tokens = readTokens(text, 0);
    lists.push({ text, tokens });
    return tokens;
  }
}
