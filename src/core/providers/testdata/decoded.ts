import { parseJson } from '../../json/json-document.js';
import type { DecodedCall, Dialect, SegmentRole } from '../../model/call.js';
import { decodeAnswer, decodeRequest } from '../decode-call.js';

export type Row = readonly [path: string, role: SegmentRole, text: string];

export function request(dialect: Dialect, body: unknown): DecodedCall {
  return decodeRequest(dialect, parseJson(JSON.stringify(body)));
}

export function answer(dialect: Dialect, body: unknown): DecodedCall {
  return decodeAnswer(dialect, parseJson(JSON.stringify(body)));
}

/** Each decoded text with its path and its role. */
export function rows(call: DecodedCall): Row[] {
  return call.segments.map(({ path, role, text }) => [path, role, text]);
}

export const BASE64 = 'iVBORw0KGgo'.repeat(12);
