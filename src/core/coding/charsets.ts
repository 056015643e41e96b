/** Character sets in which bytes below 0x80 are ASCII, whatever the other bytes mean. */
const ASCII_SETS =
  /^(?:utf-?8|(?:us-?)?ascii|(?:iso[-_]?)?8859[-_]\d{1,2}|latin-?\d|l[1-9]|windows-?(?:125[0-8]|874|31j)|cp-?(?:125[0-8]|437|85[0-8]|86[0-9]|874|93[26]|9[45]9|950)|koi8-[ru]|gb2312|gbk|gb18030|big5(?:-hkscs)?|shift[-_]jis|sjis|euc-(?:jp|kr|tw)|ks_c_5601-1987|tis-620|macintosh)$/i;

/**
 * The `ASCII_SETS` in which the byte of an ASCII letter may also be the second half of another character. Web decoders read
 * some of these names as larger sets: https://encoding.spec.whatwg.org/#names-and-labels.
 */
const TWO_BYTE_SETS =
  /^(?:windows-31j|cp-?(?:93[26]|9[45]9|950)|gb2312|gbk|gb18030|big5(?:-hkscs)?|shift[-_]jis|sjis|euc-kr|ks_c_5601-1987)$/i;

/** Whether a declared character set is known, and its bytes below 0x80 are ASCII. */
export function isAsciiCharset(name: string): boolean {
  return ASCII_SETS.test(name);
}

/** Whether the byte of an ASCII letter may be the second half of another character in a declared character set. */
export function isTwoByteCharset(name: string): boolean {
  return TWO_BYTE_SETS.test(name);
}
