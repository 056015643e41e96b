import { dialectFacts, isObject, type DecodedCall, type JsonDocument, type TextEdit } from '../core/index.js';

/**
 * The addition to a request that makes its stream report token counts. Only chat completions and completions need it.
 *
 * @param insist whether the counts are requested even if the client has declined them
 * @returns undefined when the client itself requests the counts, has declined them, or does not stream
 */
export function usageRequest(
  doc: JsonDocument,
  { dialect, stream }: DecodedCall,
  insist = false,
): TextEdit | undefined {
  if (dialectFacts(dialect).usage !== 'asked' || !stream || !isObject(doc.root)) return undefined;
  const options = doc.root.members.findLast(({ key }) => key.text === 'stream_options');
  if (options === undefined) return insertion(doc.text.indexOf('{') + 1, '"stream_options":{"include_usage":true},');
  const { value, start, end } = options;
  if (value === null && insist) return { start, end, replacement: '{"include_usage":true}' };
  if (!isObject(value)) return undefined;
  const said = value.members.findLast(({ key }) => key.text === 'include_usage');
  if (said !== undefined) {
    const declined = insist && (said.value === false || said.value === null);
    return declined ? { start: said.start, end: said.end, replacement: 'true' } : undefined;
  }
  return insertion(start + 1, `"include_usage":true${value.members.length === 0 ? '' : ','}`);
}

function insertion(at: number, replacement: string): TextEdit {
  return { start: at, end: at, replacement };
}
