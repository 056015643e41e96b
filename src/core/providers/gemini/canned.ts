import { cannedJson, cannedStream, type CannedAnswer, type CannedText } from '../canned-answer.js';

/** A canned answer with one candidate. Streams are events if the URL has `alt=sse`, and otherwise one list in JSON. */
export function cannedContent({ text, id, model, streams, query }: CannedText): CannedAnswer {
  const answer = {
    candidates: [{ content: { parts: [{ text }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    // No model produced the answer, so all counts are zero.
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: model,
    responseId: id,
  };
  if (!streams) return cannedJson(answer);
  return /[?&;]\$?alt=sse(?:[&;]|$)/i.test(query) ? cannedStream([answer]) : cannedJson([answer]);
}
