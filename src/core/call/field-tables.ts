import { BLOCK_FIELDS, CALL_FIELDS, MEDIA_FIELDS, RESULT_FIELDS, TEXT_SOURCE_FIELDS } from './block-readers.js';
import type { FieldReaders } from './call-collector.js';
import { ANSWER_FIELDS, CHOICE_FIELDS, EMBEDDING_FIELDS, REQUEST_FIELDS } from './root-readers.js';
import { TOOL_FIELDS } from './tool-readers.js';

/** Every table of fields that the decoders read by name; the conformance matrix tests that each entry is read. */
export const FIELD_TABLES: readonly FieldReaders[] = [
  REQUEST_FIELDS,
  ANSWER_FIELDS,
  CHOICE_FIELDS,
  EMBEDDING_FIELDS,
  BLOCK_FIELDS,
  CALL_FIELDS,
  RESULT_FIELDS,
  MEDIA_FIELDS,
  TEXT_SOURCE_FIELDS,
  TOOL_FIELDS,
];
