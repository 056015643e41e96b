/**
 * Reads the texts of documents (PDF, Office, HTML, archives) in separate threads, within limits. Unreadable content is reported as unread.
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
