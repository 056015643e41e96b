import { atOnce, parseJson, type Mask } from '../core/index.js';
import { storedTexts } from './stored-texts.js';
import { readingSubmission } from './submission.js';

const submitted = (answer: object) =>
  atOnce(readingSubmission(parseJson(JSON.stringify({ type: 'ai.response', request_id: 'r', payload: answer }))));
const ANSWER = {
  choices: [{ message: { role: 'assistant', content: 'Ann writes' }, logprobs: { content: [{ token: 'Ann' }] } }],
};

describe('a submitted answer', () => {
  it.each(['redacted', 'full'] as const)(
    'is stored without the log probabilities of a masked text, with the content %s',
    (capture) => {
      const submission = submitted(ANSWER);
      const segment = submission.call.segments.findIndex(({ text }) => text === 'Ann writes');
      const mask = { segment, start: 0, end: 3, replacement: '[NAME]', code: 'NAME', detector: 'd' } as Mask;
      const { payload, removals } = atOnce(storedTexts(capture, submission, { payload: [mask], metadata: [] }));
      expect(payload).toContain('"[NAME] writes"');
      expect(payload).not.toContain('Ann');
      expect(removals).toHaveLength(1);
    },
  );

  it('is stored with its log probabilities if nothing is masked', () => {
    const { payload } = atOnce(storedTexts('redacted', submitted(ANSWER), { payload: [], metadata: [] }));
    expect(payload).toBe(JSON.stringify(ANSWER));
  });
});
