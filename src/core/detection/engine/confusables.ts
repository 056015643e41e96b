/**
 * Letters of other scripts that look like a Latin letter, after Unicode Technical Standard 39 (confusables.txt,
 * https://www.unicode.org/reports/tr39/), reduced to single letters that look alike in common fonts. Written as pairs: the look-alike,
 * then the Latin letter.
 */
const PAIRS =
  // Cyrillic
  'аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhӏlѵvгrкkмmтtпnвbнhАAВBЕEЅSІIЈJКKМMНHОOРPСCТTУYХXԌGҮYѴVԚQԜW' +
  // Greek
  'αaοoνvρpτtυuκkιiγyεeηnωwχxΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX' +
  // Armenian, Latin small capitals and others
  'օoսuոnհhցgզqյjɑaɡgıiℓlᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpꞯqʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz';

/** Maps the code of each look-alike to the Latin letter that it imitates. */
export const CONFUSABLES: ReadonlyMap<number, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, pair) => [PAIRS.charCodeAt(2 * pair), PAIRS.charAt(2 * pair + 1)]),
);

/** The dotless i, which is a letter of its own in Turkish. */
const DOTLESS_I = 0x131;

/** Look-alikes that are Latin letters themselves, such as small capitals: whole texts are written in them. */
export const LATIN_LOOK_ALIKES: ReadonlySet<number> = new Set(
  [...CONFUSABLES.keys()].filter((unit) => unit !== DOTLESS_I && /\p{Script=Latin}/u.test(String.fromCharCode(unit))),
);

/** Punctuation that is typed or pasted in place of an ASCII character and that NFKC does not change. */
export const PUNCTUATION: ReadonlyMap<number, string> = new Map([
  ...[0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xfe58].map((unit) => [unit, '-'] as const),
  ...[0x2018, 0x2019, 0x201a, 0x201b, 0x2032].map((unit) => [unit, "'"] as const),
  ...[0x201c, 0x201d, 0x201e, 0x201f, 0x2033].map((unit) => [unit, '"'] as const),
  [0x2024, '.'],
  [0x2044, '/'],
  [0x2215, '/'],
  [0x2028, '\n'],
  [0x2029, '\n'],
]);

/** Full stops of Chinese and Japanese, which browsers read as dots in host names (RFC 3490, section 3.1). */
export function isIdeographicStop(unit: number): boolean {
  return unit === 0x3002 || unit === 0xff61;
}

/** The zero of each block of ten decimal digits (Unicode 17, general category Nd) that NFKC does not convert to ASCII. */
const DIGIT_ZEROS: readonly number[] = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
  0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x104a0, 0x10d30, 0x10d40, 0x11066, 0x110f0, 0x11136, 0x111d0,
  0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x116d0, 0x116da, 0x11730, 0x118e0, 0x11950, 0x11bf0, 0x11c50, 0x11d50,
  0x11da0, 0x11de0, 0x11f50, 0x16130, 0x16a60, 0x16ac0, 0x16b50, 0x16d70, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e5f1, 0x1e950,
];

/** Maps the code point of each digit of other scripts to the ASCII digit with the same value. */
export const DIGITS: ReadonlyMap<number, string> = new Map(
  DIGIT_ZEROS.flatMap((zero) => Array.from({ length: 10 }, (_, digit) => [zero + digit, String(digit)] as const)),
);
