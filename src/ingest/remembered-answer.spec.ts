import { atOnce, parseJson, type Edit } from '../core/index.js';
import { ANSWER_GONE } from '../events/index.js';
import { bodyOf, recallingBody, rememberRequest } from './remembered-answer.js';
import { sliceWithEdits } from './stored-texts.js';
import { readingSubmission } from './submission.js';

const BODY =
  '{"type":"ai.request","request_id":"r","payload":{"messages":[{"role":"user","content":"one secret two"}],"prompt":"one secret two"}}';

const recallBody = (...given: Parameters<typeof recallingBody>): string => atOnce(recallingBody(...given));

function answered(bodyText: string, redact: string, mask: string, capture: 'redacted' | 'full' | 'none') {
  const doc = parseJson(bodyText);
  const { call, payloadSpan } = atOnce(readingSubmission(doc));
  const editsFor = (word: string): Edit[] =>
    call.segments.flatMap(({ text }, segment) => {
      const start = word === '' ? -1 : text.indexOf(word);
      return start === -1 ? [] : [{ segment, start, end: start + word.length, replacement: '[X_1]' }];
    });
  const edits = editsFor(redact);
  const answer = { head: '{"event_id":"e"}', payload: atOnce(sliceWithEdits(doc, payloadSpan!, call.segments, edits)) };
  return { answer, remembered: rememberRequest(answer, capture, call.segments, edits, [...edits, ...editsFor(mask)]) };
}

describe('rememberRequest', () => {
  it('stores the whole answer if the redaction covers every finding', () => {
    const { answer, remembered } = answered(BODY, 'secret', '', 'redacted');
    expect(remembered).toMatchObject({ status: 200, body: bodyOf(answer) });
    expect(remembered.remade).not.toMatch(/one|two|secret/);
    expect(recallBody({ status: 200, body: remembered.remade! }, parseJson(BODY))).toBe(bodyOf(answer));
  });

  it('stores no text if it has a finding that no rule redacts, or if no content may be stored', () => {
    for (const [mask, capture] of [
      ['two', 'redacted'],
      ['', 'none'],
    ] as const) {
      const { answer, remembered } = answered(BODY, 'secret', mask, capture);
      expect(remembered.body).not.toMatch(/one|two|secret/);
      expect(recallBody(remembered, parseJson(BODY))).toBe(bodyOf(answer));
    }
  });

  it('refuses to answer if a text stored by an earlier version was deleted', () => {
    expect(() => recallBody({ status: 200, body: ANSWER_GONE }, parseJson(BODY))).toThrow(
      expect.objectContaining({ type: 'guardrail_unavailable' }),
    );
  });

  it('creates the payload again from an equal body that is formatted differently', () => {
    const { remembered } = answered(BODY, 'secret', '', 'none');
    const respelt =
      '{"payload": {"prompt":"one \\u0073ecret two", "messages":[{"content":"one secret two","role":"user"}]}, "request_id":"r","type":"ai.request"}';
    expect(JSON.parse(recallBody(remembered, parseJson(respelt)))).toEqual({
      event_id: 'e',
      payload: { messages: [{ role: 'user', content: 'one [X_1] two' }], prompt: 'one [X_1] two' },
    });
  });

  it('refuses to answer if the place of a redaction is not found again', () => {
    const { remembered } = answered(BODY, 'secret', '', 'none');
    for (const other of [BODY.replace('"messages"', '"messagez"'), BODY.replace(/one secret two/, 'one secret twoo')]) {
      expect(() => recallBody(remembered, parseJson(other))).toThrow(
        expect.objectContaining({ type: 'guardrail_unavailable' }),
      );
    }
  });

  it('creates the payload of a long conversation in steps, between which other calls are served', () => {
    const messages = Array.from({ length: 3_000 }, () => '{"role":"user","content":"one secret two"}').join(',');
    const body = BODY.replace('"messages":[', `"messages":[${messages},`);
    const { answer, remembered } = answered(body, 'secret', '', 'none');
    const steps = recallingBody(remembered, parseJson(body));
    let stops = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stops += 1;
    expect(step.value).toBe(bodyOf(answer));
    expect(stops).toBeGreaterThan(10);
  });

  it('creates a payload without the log probabilities beside a redacted text', () => {
    const body = BODY.replace('"prompt":', '"input":[{"logprobs":[{"token":"secret"}]}],"prompt":');
    const { remembered } = answered(body, 'secret two', '', 'none');
    const recalled = recallBody(remembered, parseJson(body));
    expect(recalled).toContain('"logprobs":[]');
    expect(recalled).not.toContain('secret');
  });
});
