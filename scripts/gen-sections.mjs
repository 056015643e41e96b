/** Sections of hand-written pages that `npm run gen` writes from the code, and the tables in them. */
import { readFileSync } from 'node:fs';
import { AUTHORING_FOLDERS, BESIDE, CORE_FOLDERS, FEATURES } from './layers.mjs';

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
/** A table in Markdown. */
export const table = (heads, rows) =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');

/** docs/architecture.md with regenerated tables of folders; the hand-written text around them is kept. */
export function architecturePage() {
  const path = 'docs/architecture.md';
  const folders = [...FEATURES.map((one) => ({ ...one, folder: `src/${one.folder}` })), ...BESIDE];
  const tables = {
    folders: table(
      ['folder', 'purpose', 'invariant'],
      folders.map(({ folder, purpose, never }) => [`\`${folder}\``, purpose, never]),
    ),
    core: table(
      ['folder of `src/core`', 'purpose'],
      CORE_FOLDERS.map(({ folder, purpose }) => [`\`${folder}\``, purpose]),
    ),
    authoring: table(
      ['folder of `src/authoring`', 'purpose'],
      AUTHORING_FOLDERS.map(({ folder, purpose }) => [`\`${folder}\``, purpose]),
    ),
  };
  return Object.entries(tables).reduce(
    (text, [name, made]) => withSection(text, path, name, 'scripts/layers.mjs', made),
    readFileSync(path, 'utf8'),
  );
}

/** The page with the content between the marks of a section replaced; the hand-written text around them is kept. */
export function withSection(text, path, name, source, made) {
  const [begin, end] = [`<!-- ${name}: made by npm run gen from ${source} -->\n`, `\n<!-- /${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has no place for its section "${name}"`);
  return `${text.slice(0, from + begin.length)}\n${made}\n${text.slice(to)}`;
}
