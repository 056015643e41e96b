/** The operations of `weir archive`. A running server archives with ArchiveKeeper. */
export { ArchiveWork, isArchiveFailure } from './archive-work.js';
export type { ArchivePart } from './catalogue.js';
