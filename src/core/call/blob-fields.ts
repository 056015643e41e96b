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
