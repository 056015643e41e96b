/**
 * Reads the texts of documents (PDF, Office, HTML, archives) in threads of their own, within limits. What cannot be
 * read is said to be unread.
 */
export { DocumentsModule } from './documents.module.js';
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
export { isPackedShort } from './formats/packed.js';
export { documentFormatsOf, textFormatOf } from './recognise.js';
