/** Lists in code that `npm run gen` generates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The list of migrations: the files of their folder, ordered by number. */
export function migrationList() {
  const folder = 'src/database/migrations';
  const found = readdirSync(folder)
    .filter((file) => /^\d{4}-.*\.ts$/.test(file))
    .sort()
    .map((file) => {
      const [, name] = /^export class (\w+) extends Migration/m.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
      if (name === undefined) throw new Error(`${folder}/${file} exports no class that extends Migration`);
      return { file: file.slice(0, -'.ts'.length), name };
    });
  return `/**
 * All migrations, oldest first. A name never changes once the migration has run somewhere; a migration that has been released
 * is never edited. Servers of the previous version keep serving while a migration runs and after it, so a
 * migration only adds: a later version removes parts that no server uses any more. See
 * docs/adr/0077-old-and-new-versions-serve-together.md.
 * Made by \`npm run gen\` from the files of this folder; do not edit.
 */
${found.map(({ file, name }) => `import { ${name} } from './${file}.js';\n`).join('')}
export const MIGRATIONS = [
${found.map(({ file, name }) => `  { name: '${file}', class: ${name} },\n`).join('')}];
`;
}

/** The columns of exported files, for the dashboard: its types name the columns but do not exist at run time. */
export function columnNames(names) {
  const lines = names.map((name) => `  '${name}',\n`).join('');
  return `/** The columns of CSV and Parquet, in the order of the file. Made by \`npm run gen\`; do not edit. */\nexport const COLUMN_NAMES = [\n${lines}] as const;\n`;
}
