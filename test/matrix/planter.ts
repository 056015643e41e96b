/** Random numbers that one seed determines: a 32-bit linear congruential generator (Numerical Recipes, section 7.1). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS = [
  'please',
  'look',
  'at',
  'the',
  'long',
  'report',
  'née',
  '"quoted"',
  'a\\b',
  'line\nbreak',
  '😀',
  '1 < 2',
];
/** The text that rules search for; the test detector reports it as MAIL. */
export const CANARY = 'mail-4711';

/**
 * Generates the texts of one random call. Every text that a person, a model or a tool could have written is requested here,
 * under the name of its location; exactly one text of the chosen location contains the canary. The planter keeps all texts,
 * because a decoder has to find exactly these.
 */
export class Planter {
  readonly texts: string[] = [];
  /** Names and arguments of the calls, as rules should see them. */
  readonly calls: { readonly name: string; readonly args: unknown }[] = [];
  private seen = 0;

  /**
   * @param occurrence the index of the text of that location that gets the canary, from 0
   */
  constructor(
    readonly location: string,
    readonly random: (below: number) => number,
    private readonly occurrence: number,
  ) {}

  /** The number of texts of the chosen location that were requested. */
  get occurrences(): number {
    return this.seen;
  }

  text(location: string): string {
    const words = Array.from({ length: 1 + this.random(4) }, () => WORDS[this.random(WORDS.length)]!);
    const place = this.random(words.length + 1);
    if (location === this.location && this.seen++ === this.occurrence) words.splice(place, 0, CANARY);
    const text = words.join(' ');
    this.texts.push(text);
    return text;
  }

  /** A name of a tool or field, with the canary if it is the chosen text. */
  name(location: string): string {
    const name = `get_${this.random(1000)}`;
    const isTurn = location === this.location && this.seen++ === this.occurrence;
    const text = isTurn ? `${name} ${CANARY}` : name;
    this.texts.push(text);
    return text;
  }

  /** Free-form JSON: both keys and strings are texts. */
  freeform(location: string): Record<string, unknown> {
    return {
      [this.name(location)]: this.text(location),
      [this.key('deep')]: [1, true, null, { [this.key('inner')]: this.text(location) }],
    };
  }

  /** A key of free-form JSON. */
  key(key: string): string {
    this.texts.push(key);
    return key;
  }

  /** A field that no decoder knows. */
  unknown(location: string): Record<string, unknown> {
    return { [this.key('x_vendor_extension')]: this.freeform(location) };
  }

  chance(percent: number): boolean {
    return this.random(100) < percent;
  }

  /** One to three results of `make`. */
  some<T>(make: () => T): T[] {
    return Array.from({ length: 1 + this.random(3) }, make);
  }
}

/** Builds the same random value twice: first to count the texts of the location, then with the canary in one of them. */
export function planted<T>(
  location: string,
  seed: number,
  build: (planter: Planter) => T,
): { readonly body: T; readonly planter: Planter } | undefined {
  const counting = new Planter(location, randomFrom(seed), -1);
  build(counting);
  if (counting.occurrences === 0) return undefined;
  const planter = new Planter(location, randomFrom(seed), randomFrom(seed ^ 0x5bd1e995)(counting.occurrences));
  return { body: build(planter), planter };
}

/** A PNG image without pixels in base64, which is long enough to be distinguished from text. */
export const BINARY = Buffer.from(
  `89504e470d0a1a0a0000000d49484452${'00'.repeat(17)}0000006049444154${'00'.repeat(100)}0000000049454e4400000000`,
  'hex',
).toString('base64');
