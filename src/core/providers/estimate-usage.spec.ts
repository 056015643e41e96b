import type { DecodedCall, Dialect, SegmentRole, Usage } from '../model/call.js';
import { atOnce } from '../steps/steps.js';
import { estimatingSentUsage, estimatingTokens, estimatingUsage } from './estimate-usage.js';

function call(dialect: Dialect, texts: [SegmentRole, string][], usage?: Usage): DecodedCall {
  return {
    dialect,
    segments: texts.map(([role, text], ref) => ({ path: `t[${ref}]`, role, text, ref })),
    declaredTools: [],
    newToolCalls: [],
    pastToolCalls: [],
    pastToolResults: [],
    stream: true,
    ...(usage === undefined ? {} : { usage }),
  };
}
const request = call('openai.chat', [['user', 'x'.repeat(40)]]);
const answer = (usage?: Usage) =>
  call(
    'openai.chat',
    [
      ['assistant', 'y'.repeat(20)],
      ['tool_call', 'z'.repeat(4)],
      ['other', 'w'.repeat(400)],
    ],
    usage,
  );

describe('estimated tokens', () => {
  it.each([
    ['', 0],
    ['abcd', 1],
    ['abcde', 2],
    ['日本語', 3],
    ['ab 日本 😀', 4],
    ['\ude00\ud83d\ud83d\ude00', 3],
  ])('counts %j as %d', (text, tokens) => {
    expect(atOnce(estimatingTokens(text))).toBe(tokens);
  });
});

describe('the usage of a call', () => {
  const usageOf = (...given: Parameters<typeof estimatingUsage>) => atOnce(estimatingUsage(...given));

  it('uses the count of the provider if the answer is complete', () => {
    const usage = { promptTokens: 3, completionTokens: 1 };
    expect(usageOf(request, answer(usage), true)).toBe(usage);
  });

  it('estimates counts that were not reported, and marks them as estimated', () => {
    const estimate = { promptTokens: 10, completionTokens: 6, estimated: true };
    expect(usageOf(request, answer(), true)).toEqual(estimate);
    expect(usageOf(request, answer(), false)).toEqual(estimate);
  });

  it('uses the output count that an interrupted stream reported as a minimum, and the reported prompt count unchanged', () => {
    const early = { promptTokens: 7, completionTokens: 1, cacheReadTokens: 2 };
    expect(usageOf(request, answer(early), false)).toEqual({ ...early, completionTokens: 6, estimated: true });
    const late = { promptTokens: 7, completionTokens: 60 };
    expect(usageOf(request, answer(late), false)).toBe(late);
  });

  it('does not count field names, and counts repeated texts only once', () => {
    const streamed = call('openai.responses', [
      ['assistant', 'y'.repeat(20)],
      ['assistant', 'y'.repeat(20)],
    ]);
    const named = { ...streamed.segments[0]!, path: 'usage.input_tokens', text: 'input_tokens' };
    const answered = { ...streamed, segments: [...streamed.segments, named] };
    expect(usageOf(request, answered, false)).toMatchObject({ completionTokens: 5 });
  });

  it('estimates nothing for calls without text output', () => {
    const vectors = call('openai.embeddings', [['other', 'x']]);
    expect(usageOf(request, vectors, true)).toBeUndefined();
    expect(usageOf(request, call('openai.chat', []), false)).toBeUndefined();
    expect(usageOf(request, call('generic', [['assistant', 'x']]), true)).toBeUndefined();
  });
});

describe('the usage of a call that was interrupted', () => {
  it('is at least its input, whether or not a part of the answer arrived', () => {
    const usageOf = (seen: DecodedCall) => atOnce(estimatingSentUsage(request, seen));
    expect(usageOf(call('openai.chat', []))).toEqual({ promptTokens: 10, estimated: true });
    expect(usageOf(answer())).toMatchObject({ promptTokens: 10, completionTokens: 6 });
  });

  it('is estimated in steps, of which none reads a long text to its end', () => {
    const steps = estimatingSentUsage(request, call('openai.chat', [['assistant', 'y'.repeat(300_000)]]));
    let stops = 0;
    for (let step = steps.next(); step.done !== true; step = steps.next()) stops++;
    expect(stops).toBeGreaterThan(3);
  });
});
