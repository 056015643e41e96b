/**
 * Reads the texts of documents (PDF, Office, HTML, archives) in separate threads, within limits. Unreadable content is reported as unread.
 */
export { DocumentsModule } from './documents.module.js';
export type { ReadDocument } from './document-budget.js';
export { DEFAULT_DOCUMENT_READER, DocumentReader, type DocumentReaderOptions } from './document-reader.js';
export { readDocument } from './read-document.js';
export {
  DEFAULT_DOCUMENT_LIMITS,
  type DocumentLimits,
  type DocumentMedia,
  type DocumentReading,
  type DocumentText,
  type DocumentUnread,
  type DocumentUnreadWhy,
} from './reading.js';
export { readingMediaType } from './formats/media-formats.js';
export { isPackedShort } from './formats/packed.js';
export { documentFormatsOf, textFormatsOf } from './recognise.js';
export { writtenBytes, writtenReadings } from './written-bytes.js';
