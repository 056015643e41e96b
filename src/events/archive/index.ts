/** What `weir archive` does beside a server. A server's own work is ArchiveKeeper's. */
export { ArchiveWork, isArchiveFailure } from './archive-work.js';
export type { ArchivePart } from './catalogue.js';
