import fc from 'fast-check';
import { decodeRequest } from '../providers/decode-call.js';
import type { Dialect } from '../model/call.js';
import type { FiredRule } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import { parseJson } from '../json/json-document.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { applyEdits } from '../text/edit.js';
import { BLOCKED_TEXT, conversationOf, removalsOf, repairHistory } from '../index.js';

const BAD = 'zanzibar';
const rule: FiredRule = {
  rule: 'words.block',
  policy: 'p',
  stage: 'pre',
  severity: 'high',
  category: 'content',
  action: 'block',
  enforced: true,
  message: 'No.',
  unavailable: false,
  missing: [],
  evidence: [{ detector: 'words', codes: 'all' }],
};

/** The body after removing or replacing turns with the bad word; undefined if there is nothing to repair. */
function repaired(body: string, mode: 'drop' | 'replace', dialect: Dialect = 'openai.chat') {
  const doc = parseJson(body);
  const call = decodeRequest(dialect, doc);
  const findings: LocatedFinding[] = call.segments.flatMap(({ text }, segment) => {
    const start = text.indexOf(BAD);
    return start < 0 ? [] : [{ detector: 'words', code: 'BAD', segment, start, end: start + BAD.length, score: 1 }];
  });
  const repair = repairHistory(mode, call, conversationOf(doc)!, [rule], findings);
  if (repair === undefined) return undefined;
  const removals = removalsOf(doc, repair.dropped);
  const text = applyEdits(body, mergeEdits([...documentEdits(doc, call.segments, repair.edits), ...removals]));
  return { repair, text };
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const chat = (...messages: unknown[]): string => JSON.stringify({ model: 'm', messages });

describe('Repair of a request with blocked turns', () => {
  it('drops the blocked turn: the user message and all items up to the next user message', () => {
    const body = chat(
      { role: 'system', content: 'be nice' },
      user('one'),
      assistant('uno'),
      user(BAD),
      assistant('no'),
      user('two'),
    );
    expect(repaired(body, 'drop')!.text).toBe(
      chat({ role: 'system', content: 'be nice' }, user('one'), assistant('uno'), user('two')),
    );
    expect(repaired(body, 'drop')!.repair).toMatchObject({ dropped: [3, 4], count: 1 });
  });

  it('keeps every byte outside the blocked turn', () => {
    const body = `{ "messages" :\n [ {"role":"user","content":"${BAD}, \\"]}"} ,\t{"role":"assistant","content":"a"}\n,  {"role":"user","content":"b","n":1e400} ] , "x":1, "x":2}`;
    expect(repaired(body, 'drop')!.text).toBe(
      '{ "messages" :\n [ {"role":"user","content":"b","n":1e400} ] , "x":1, "x":2}',
    );
    expect(repaired(body, 'replace')!.text).toBe(body.replace(`${BAD}, \\"]}`, BLOCKED_TEXT));
  });

  it('keeps one list of texts, and one value, for all names of a call', () => {
    const named = Array.from({ length: 20 }, (_, at) => `"name":"f${at}"`).join();
    const call = `{"role":"assistant","tool_calls":[{"id":"c1","function":{${named},"arguments":"{\\"q\\":\\"${BAD}\\"}"}}]}`;
    const result = '{"role":"tool","tool_call_id":"c1","content":"done"}';
    const [first, last] = [JSON.stringify(user('a')), JSON.stringify(user('b'))];
    const replaced = repaired(`{"messages":[${[first, call, result, last].join()}]}`, 'replace')!.repair.call;
    expect(replaced.pastToolCalls).toHaveLength(20);
    expect(replaced.pastToolCalls[0]?.args).toEqual({ q: BLOCKED_TEXT });
    expect(new Set(replaced.pastToolCalls.map(({ args }) => args)).size).toBe(1);
    const kept = [first, call, result, JSON.stringify(user(BAD)), last];
    const dropped = repaired(`{"messages":[${kept.join().replace(BAD, 'x')}]}`, 'drop')!.repair.call;
    expect(dropped.pastToolCalls).toHaveLength(20);
    expect(new Set(dropped.pastToolCalls.map(({ segments }) => segments)).size).toBe(1);
  });

  it('keeps tool calls and their results together', () => {
    const call = {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const result = { role: 'tool', tool_call_id: 'c1', content: BAD };
    expect(repaired(chat(user('a'), call, result, assistant('b'), user('c')), 'drop')!.text).toBe(chat(user('c')));
    const claude = [
      user('a'),
      assistant([{ type: 'tool_use', id: 't1', name: 'f', input: { q: 'x' } }]),
      user([
        { type: 'tool_result', tool_use_id: 't1', content: BAD },
        { type: 'text', text: 'and?' },
      ]),
      assistant('b'),
      user('c'),
    ];
    expect(repaired(chat(...claude), 'drop', 'anthropic.messages')!.text).toBe(chat(user('c')));
    expect(repaired(chat(...claude), 'replace', 'anthropic.messages')!.text).toBe(
      chat(...claude).replace(BAD, BLOCKED_TEXT),
    );
  });

  it('repairs conversations of the Responses API and of events', () => {
    const items = [user(BAD), { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }, user('b')];
    expect(repaired(JSON.stringify({ input: items }), 'drop', 'openai.responses')!.text).toBe(
      JSON.stringify({ input: [user('b')] }),
    );
    const event = (...messages: unknown[]) => JSON.stringify({ type: 'ai.request', payload: { messages } });
    expect(repaired(event(user(BAD), user('b')), 'drop', 'weir.ai_request')!.text).toBe(event(user('b')));
  });

  it('replaces arguments of a past tool call, in the text and in the decoded request', () => {
    const call = (q: string) => ({
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: JSON.stringify({ q, n: 1 }) } }],
    });
    const { text, repair } = repaired(chat(user('a'), call(BAD), user('b')), 'replace')!;
    expect(text).toBe(chat(user('a'), call(BLOCKED_TEXT), user('b')));
    expect(repair.call.pastToolCalls[0]!.args).toEqual({ q: BLOCKED_TEXT, n: 1 });
  });

  it.each<[string, 'drop' | 'replace', string]>([
    ['the last turn', 'drop', chat(user('a'), user(BAD))],
    ['what follows the last user message', 'drop', chat(user('a'), { role: 'tool', content: BAD })],
    ['what stands before the first turn', 'drop', chat(assistant(BAD), user('a'))],
    ['instructions', 'drop', chat(user('a'), { role: 'system', content: BAD }, user('b'))],
    ['instructions', 'replace', chat(user('a'), { role: 'developer', content: BAD }, user('b'))],
    ['a name', 'replace', chat(user('a'), { role: 'user', name: BAD, content: 'x' }, user('b'))],
    ['a key', 'replace', chat(user('a'), { role: 'user', content: 'x', [BAD]: 'y' }, user('b'))],
    ['a signed reasoning', 'replace', chat(user('a'), assistant([{ type: 'thinking', thinking: BAD }]), user('b'))],
  ])('never touches %s (%s)', (_, mode, body) => {
    const done = repaired(body, mode);
    expect(done === undefined || done.text.includes(BAD)).toBe(true);
  });

  it('removes nothing from a request without a conversation', () => {
    expect(conversationOf(parseJson('{"prompt":"x"}'))).toBeUndefined();
    expect(conversationOf(parseJson('{"messages":"x"}'))).toBeUndefined();
    expect(conversationOf(parseJson(`{"messages":[],${chat(user('a')).slice(1)}`))).toBeUndefined();
    expect(repaired(chat('text', 1, null, user(BAD)), 'drop')).toBeUndefined();
  });

  it('returns a decoded request that equals the decoded repaired body', () => {
    const text = fc.constantFrom('hello', BAD, `a "${BAD}" \n`, '');
    const message = fc.oneof(
      text.map(user),
      text.map((each) =>
        user([
          { type: 'text', text: each },
          { type: 'text', text: 'x' },
        ]),
      ),
      text.map(assistant),
      text.map((content) => ({ role: 'system', content })),
      fc.tuple(text, fc.constantFrom('c1', 'c2')).map(([q, id]) => ({
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: JSON.stringify({ q }) } }],
      })),
      fc.tuple(text, fc.constantFrom('c1', 'c2')).map(([content, id]) => ({ role: 'tool', tool_call_id: id, content })),
      fc
        .tuple(text, fc.constantFrom('c1', 'c2'))
        .map(([content, id]) => user([{ type: 'tool_result', tool_use_id: id, content }])),
    );
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.constantFrom('drop', 'replace'),
        fc.nat(3),
        (messages, mode, indent) => {
          const body = JSON.stringify({ messages, model: 'm' }, null, indent);
          const done = repaired(body, mode);
          if (done === undefined) return;
          const read = decodeRequest('openai.chat', parseJson(done.text));
          const { call } = done.repair;
          const shape = ({ segments, pastToolCalls, pastToolResults }: typeof call) => ({
            texts: segments.map((segment) => [segment.role, segment.text, segment.key]),
            calls: pastToolCalls.map(({ id, name, args, segments: own }) => ({ id, name, args, own })),
            results: pastToolResults.map(({ callId, name, segments: own }) => ({ callId, name, own })),
          });
          const after = JSON.parse(done.text) as { messages: { role: string }[] };
          const last = messages.findLastIndex(({ role }) => role === 'user');
          expect(after.messages.at(-1)).toEqual(messages.at(-1));
          expect(after.messages.length).toBeGreaterThanOrEqual(messages.length - last);
          const { calls, results, texts } = shape(read);
          const judged = shape(call);
          expect(texts).toEqual(judged.texts);
          expect(calls).toEqual(judged.calls);
          // The name of a result's tool is not compared: it is looked up in the preceding calls, which may have been dropped.
          expect(results.map(({ callId, own }) => ({ callId, own }))).toEqual(
            judged.results.map(({ callId, own }) => ({ callId, own })),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
