import { DEFAULT_JSON_LIMITS, JsonSyntaxError } from '../core/index.js';
import { requireFewPieces, type BodyPiece } from './body-pieces.js';

describe('The pieces of a body', () => {
  const most = 2 * DEFAULT_JSON_LIMITS.maxNodes;
  const pieces = (count: number): readonly BodyPiece[] => new Array<BodyPiece>(count);

  it('may be as many as the texts of a JSON document, with bytes between them', () => {
    expect(() => requireFewPieces(pieces(most))).not.toThrow();
  });

  it('are refused while they are collected if there are more, so that they do not fill the memory', () => {
    expect(() => requireFewPieces(pieces(most + 1))).toThrow(JsonSyntaxError);
    expect(() => requireFewPieces(pieces(most + 1))).toThrow('too many texts');
  });
});
