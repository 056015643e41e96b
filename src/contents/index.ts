/** Classifies the bytes of a body: texts, documents, media, or unread. Names and media types from clients are not trusted. */
export * from './embedded-contents.js';
export { beginsWithFrame, EventFrames, NoFrames, writeFrame, writeHeaders, type EventFrame } from './event-frames.js';
export { readingOtherwise } from './other-readings.js';
export { isAlsoDocument, isForReader, readContent, readingContent, type ContentReading } from './read-content.js';
export { withFilesRead, withRequestFilesRead } from './read-files.js';
export { readingUtf8, Utf8Pieces, utf8Bytes, utf8Text, writingUtf8 } from './utf8-text.js';
