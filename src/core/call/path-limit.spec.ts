import { parseJson } from '../json/json-document.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';

const DEPTH = 60;
const texts = (count: number): string => `[${Array.from({ length: count }, () => '"a"').join()}]`;
/** Texts below many long names. */
const below = (count: number): string =>
  `{"further":${`{"${'long_name_'.repeat(6)}":`.repeat(DEPTH)}${texts(count)}${'}'.repeat(DEPTH)}}`;

describe('The paths of the texts of a body', () => {
  it('may be long', () => {
    const { segments } = decodeRequest('openai.chat', parseJson(below(500)));
    expect(segments.filter(({ text }) => text === 'a')).toHaveLength(500);
    expect(segments.at(-1)?.path.length).toBeGreaterThan(DEPTH * 60);
  });

  it('may be very many', () => {
    const body = parseJson(`{"messages":[{"role":"user","content":${texts(200_000)}}]}`);
    expect(decodeRequest('openai.chat', body).segments).toHaveLength(200_000);
  });

  it('are not both, because they would need very much memory', () => {
    const body = parseJson(below(5_000));
    expect(() => decodeRequest('openai.chat', body)).toThrow(JsonSyntaxError);
    expect(() => decodeAnswer('openai.chat', body)).toThrow(expect.objectContaining({ overLimit: true }));
  });
});
