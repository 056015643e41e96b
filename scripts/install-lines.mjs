/**
 * Finds the lines that readers copy from a page in Markdown, so that a check runs these lines and not a copy of them. A line or block that
 * is missing is an error, so that the check cannot silently stop checking it after a change of the page.
 */
const BLOCK = /^```[^\n]*\n([^]*?)^```/gm;
const INLINE = /`([^`\n]+)`/g;

/**
 * Returns the code block that contains the text, without the prompts of a console.
 *
 * @param {string} page the text of the page
 * @param {string} text
 */
export function blockWith(page, text) {
  const blocks = blocksOf(page).filter((block) => block.includes(text));
  return only(blocks, `block with \`${text}\``);
}

/**
 * Returns the line that begins with the text, in a code block or between backticks.
 *
 * @param {string} page the text of the page
 * @param {string} beginning
 */
export function lineFrom(page, beginning) {
  const inline = [...page.replace(BLOCK, '').matchAll(INLINE)].map(([, code]) => code);
  const lines = [...blocksOf(page).flatMap((block) => block.split('\n')), ...inline];
  const found = lines.filter((line) => line.startsWith(beginning));
  return only(found, `line that begins with \`${beginning}\``);
}

function blocksOf(page) {
  return [...page.matchAll(BLOCK)].map(([, block]) => block.replace(/^\$ /gm, ''));
}

/** A page may repeat a line; different ones would leave open which of them is meant. */
function only(found, what) {
  const different = [...new Set(found)];
  if (different.length !== 1) throw new Error(`The page must have one ${what}, not ${different.length}`);
  return different[0];
}
