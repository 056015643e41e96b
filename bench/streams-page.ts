import { writePageSection } from './page-section.js';

/** Prints figures and, with `--write`, puts them between their marks in `docs/streams.md`. */
export function writeSection(name: 'held' | 'late', lines: readonly string[]): void {
  writePageSection('docs/streams.md', name, lines);
}
