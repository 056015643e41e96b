const IGNORABLE = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
/** Anchors of interlinear annotations: format characters that are not displayed. */
const ANNOTATION = /^[\ufff9-\ufffb]$/;
/** Marks that are drawn around or over a character of any script: for symbols, transcriptions and old Slavic numbers. */
const DRAWN_AROUND = /^(?:\p{Me}|[\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f])$/u;
/** Lines over, under and through a letter, which no orthography uses. */
const DRAWN_LINE = /^[\u0305\u0332-\u0338\u033f\u0347\u035e\u035f]$/;

/** Below this code point, only the soft hyphen is ignorable. */
const FIRST_MARK = 0x300;
const SOFT_HYPHEN = 0xad;
/** The first ignorable code point beyond the basic plane: number signs, format controls of hieroglyphs, shorthand and music, tags. */
const FIRST_ASTRAL = 0x110bd;

const UNKNOWN = 0;
const VISIBLE = 1;
const INVISIBLE = 2;
/** Known results for the basic plane; a cache of a pure function. */
const known = new Uint8Array(0x10000);

/**
 * Whether readers ignore a code point. They ignore all default ignorable code points of Unicode (soft hyphen, joiners, zero-width spaces,
 * fillers, bidirectional controls, variation selectors, tags), other format characters (signs over Arabic and Syriac words, joiners of
 * hieroglyphs), and marks that are drawn around, through or under a character of any script.
 */
export function isInvisible(point: number): boolean {
  if (point < FIRST_MARK) return point === SOFT_HYPHEN;
  if (point > 0xffff) return point >= FIRST_ASTRAL && IGNORABLE.test(String.fromCodePoint(point));
  if (known[point] === UNKNOWN) {
    const sign = String.fromCharCode(point);
    const isHidden = [IGNORABLE, ANNOTATION, DRAWN_AROUND, DRAWN_LINE].some((kind) => kind.test(sign));
    known[point] = isHidden ? INVISIBLE : VISIBLE;
  }
  return known[point] === INVISIBLE;
}
