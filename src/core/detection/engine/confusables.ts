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
  'օoսuոnհhցgզqյjɑaɡgıiℓlᴀaʙbᴄcᴅdᴇeɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz';

/** Maps the code of each look-alike to the Latin letter that it imitates. */
export const CONFUSABLES: ReadonlyMap<number, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, pair) => [PAIRS.charCodeAt(2 * pair), PAIRS.charAt(2 * pair + 1)]),
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

/** The zero of each block of decimal digits in the BMP (Unicode general category Nd) that NFKC does not convert to ASCII. */
export const DIGIT_ZEROS: readonly number[] = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0,
  0x0f20, 0x1040, 0x17e0, 0x1810,
];
