import { memoizeByObject } from '../model/memoize.js';
import { isString, membersNamed, type JsonNode, type ObjectNode } from '../json/json-node.js';

/**
 * Members that contain bytes in base64 in any object: of Bedrock, Vertex, Ollama and image generation. Gemini's `data` contains bytes
 * only within `inlineData`.
 */
const BLOBS: ReadonlySet<string> = new Set([
  'bytes',
  'blob',
  'bytesBase64Encoded',
  'bytes_base64_encoded',
  'b64_json',
  'images',
]);
const INLINE_DATA = /(?:^|\.)inline_?data\.data$/i;

/** Whether the string at a path is a file in base64. @param key the nearest object key */
export function isBlob({ key, path }: { readonly key?: string; readonly path: string }): boolean {
  return key !== undefined && (BLOBS.has(key) || (key === 'data' && INLINE_DATA.test(path)));
}

/** Members that contain a file in base64 or as numbers if other members of the object declare one. */
const FILES: ReadonlySet<string> = new Set(['data', 'content', 'base64', 'bytes', 'blob', 'file_data', 'fileData']);
/** Members with a media type, or with the coding of such a file, in lower case. */
const DECLARATIONS: readonly string[] = [
  'media_type',
  'mediatype',
  'mime_type',
  'mimetype',
  'content_type',
  'contenttype',
  'type',
  'encoding',
];
/** Texts and JSON are usually not in base64: a hash beside such a type is no file. Base64 that contains a text is read all the same. */
const DECLARES_FILE =
  /^(?:(?:base64|buffer)$|(?:application\/(?!json|xml|[\w.-]*\+(?:json|xml))|audio\/|font\/|image\/|model\/|video\/))/i;

/** The mark of a value that its object declares as a file in base64, as in `{ type: base64, media_type: application/pdf, data }`. */
export function declaredFile(node: ObjectNode, name: string): { readonly isFile: true } | undefined {
  if (!FILES.has(name)) return undefined;
  return name.startsWith('file') || declaresAFile(node) ? { isFile: true } : undefined;
}

/** Whether a member of an object declares a file. Found once per object, because an object may repeat both kinds of members many times. */
const declaresAFile = memoizeByObject((node: ObjectNode) =>
  membersNamed(node, DECLARATIONS).some(({ value }) => declaresFile(value)),
);

function declaresFile(value: JsonNode): boolean {
  return isString(value) && DECLARES_FILE.test(value.text);
}
