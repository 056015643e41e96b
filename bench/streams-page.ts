import { writePageSection } from './page-section.js';

/** Prints figures and, with `--write`, writes them to `docs/streams.md`, between the marks of the section. */
export function writeSection(name: 'held' | 'late', lines: readonly string[]): void {
  writePageSection('docs/streams.md', name, lines);
}
