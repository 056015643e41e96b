import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The notice for a package that Weir redistributes: its name, version, licence, and the licence text in the package.
 *
 * @param {string} path the folder of the package
 * @throws {Error} for a package without a licence
 */
export function noticeOf(path) {
  const { name, version, license, licenses } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const said = license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
  const file = readdirSync(path).find((each) => /^(?:licen[cs]e|copying)(?:[.-].*)?$/i.test(each));
  if (said === undefined && file === undefined) throw new Error(`${name} ${version} has no licence`);
  const text = file === undefined ? '' : `\n\n${readFileSync(join(path, file), 'utf8').trim()}`;
  return `${name} ${version} (${said ?? 'see below'})${text}`;
}
