import { decodeRequest, parseJson, runScan, type Segment } from '../src/core/index.js';
import { JudgementService } from '../src/judgement/index.js';
import { addressesIn } from './made-prose.js';
import { CONTEXT, inForce, shippedPolicy } from './shipped-policy.js';
import type { Sent } from './load.js';
import {
  answerTo,
  describeTraffic,
  isAnswer,
  PROVIDER_KEY,
  proxiedCalls,
  referenceIn,
  referringChatBody,
  streamedCalls,
  streamedTokens,
  submittedEvents,
  submittedRequests,
} from './usual-calls.js';

interface Chat {
  readonly user?: string;
  readonly tools?: readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
}
interface Event {
  readonly event_id?: string;
  readonly type: string;
  readonly request_id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly payload: { readonly output?: string } & Partial<Chat>;
}

const MANY = 400;
const times = <Value>(make: () => Value, count = MANY): Value[] => Array.from({ length: count }, make);
const parsed = <Value>({ body }: Sent): Value => JSON.parse(body) as Value;
const events = (next: () => Sent): Event[] => times(() => parsed<Event>(next()));
const textOf = ({ payload }: Event): string => payload.output ?? JSON.stringify(payload.messages);
const areNew = (values: readonly string[]): boolean => new Set(values).size === values.length;
/** Makes an answer wrong in one place. */
const replaced = (answer: string, old: string, now: string): string => {
  expect(answer).toContain(old);
  return answer.replace(old, now);
};

describe('The calls of the benches', () => {
  it('each have their own texts, ids and reference, so that no cache answers what applications do not repeat', () => {
    const made = [...events(submittedRequests()), ...events(submittedRequests())];
    expect(areNew(made.map(textOf))).toBe(true);
    expect(areNew(made.map(({ request_id: id }) => id))).toBe(true);
    const chats = times(proxiedCalls()).map((sent) => parsed<Chat>(sent));
    expect(areNew(chats.map(({ messages }) => JSON.stringify(messages)))).toBe(true);
    expect(areNew(chats.map(({ user = '' }) => user))).toBe(true);
  });

  it('have the three shapes of applications, with varied words, numbers, signs, and texts beyond ASCII', () => {
    const chats = times(proxiedCalls()).map((sent) => parsed<Chat>(sent));
    const withTools = chats.filter(({ tools }) => tools !== undefined);
    const withDocuments = chats.filter(({ messages }) => messages.at(-1)?.content?.startsWith('Documents:') === true);
    expect([withTools.length, withDocuments.length]).toEqual([MANY / 4, MANY / 4]);
    const results = withTools.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
    for (const { content } of results) expect(JSON.parse(content ?? '')).toHaveProperty('rows');
    const text = chats.flatMap(({ messages }) => messages.map(({ content }) => content ?? '')).join(' ');
    expect(new Set(text.toLowerCase().match(/[a-z]{3,}/g)).size).toBeGreaterThan(400);
    for (const sign of [/\d{4}-\d\d-\d\d/, /https:\/\//, /```ts/, /\| month \|/, /[ü€–]/, /[A-Z]{3}-\d+/])
      expect(text).toMatch(sign);
  });

  it('have metadata of their own, and in half of the events an id of the client, in each shape', () => {
    const made = events(submittedRequests());
    expect(areNew(made.map(({ metadata }) => metadata['session'] ?? ''))).toBe(true);
    expect(new Set(made.map(({ metadata }) => metadata['user_id'])).size).toBeGreaterThan(MANY / 2);
    for (const shape of ['chat', 'agent', 'rag']) {
      const ofShape = made.filter(({ metadata }) => metadata['feature'] === shape);
      const own = ofShape.filter(({ event_id: id }) => id !== undefined).length / ofShape.length;
      expect(own).toBeGreaterThan(0.4);
      expect(own).toBeLessThan(0.6);
    }
    expect(areNew(made.flatMap(({ event_id: id }) => id ?? []))).toBe(true);
  });

  it('submit the answer of a call with the id of its request, after the events of other calls', () => {
    const made = events(submittedEvents());
    const requests = made.filter(({ type }) => type === 'ai.request').map(({ request_id: id }) => id);
    const answers = made.filter(({ type }) => type === 'ai.response').map(({ request_id: id }) => id);
    expect(requests.length + answers.length).toBe(MANY);
    expect(areNew(requests)).toBe(true);
    expect(answers).toEqual(requests.slice(0, answers.length));
    expect(answers.length).toBeGreaterThan(MANY / 3);
    expect(areNew(made.map(textOf))).toBe(true);
  });

  it('have the same texts for two services that are compared, and each gets both events of its calls', () => {
    const next = (): Event[] => events(submittedEvents({ application: -1 }));
    const [before, after] = [next(), next()];
    const kinds = (made: readonly Event[]): string[] => made.map((event) => `${event.type} ${textOf(event)}`);
    expect(kinds(before)).toEqual(kinds(after));
    expect(kinds(events(submittedEvents()))).not.toEqual(kinds(after));
    for (const own of [before, after]) {
      const asked = new Set(own.filter(({ type }) => type === 'ai.request').map(({ request_id: id }) => id));
      expect(own.every(({ request_id: id }) => asked.has(id))).toBe(true);
    }
  });

  it('repeat the wanted share of their texts, but not their references', () => {
    const chats = times(proxiedCalls({ repeated: 50 })).map((sent) => parsed<Chat>(sent));
    const texts = chats.map(({ messages }) => JSON.stringify(messages));
    expect(texts.length - new Set(texts).size).toBeGreaterThan(MANY / 20);
    expect(areNew(chats.map(({ user = '' }) => user))).toBe(true);
  });

  it('have a provider key as long as the usual ones', () => {
    expect(PROVIDER_KEY).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
    expect(PROVIDER_KEY).toHaveLength(164);
  });

  it('are described with the size of each shape', () => {
    const { shapes, maskedPercent } = describeTraffic();
    expect(shapes.map(({ name, percent }) => [name, percent])).toEqual([
      ['chat', 50],
      ['agent', 25],
      ['rag', 25],
    ]);
    for (const { bytes } of shapes) expect(bytes).toBeGreaterThan(1_000);
    const masked = times(proxiedCalls()).filter(({ body }) => addressesIn(body) > 0);
    expect((masked.length / MANY) * 100).toBe(maskedPercent);
  });

  it('for other gateways contain their reference, and neither addresses nor tools', () => {
    const bodies = times((): string => referringChatBody('bcdfghjk', false), 20);
    for (const body of bodies) {
      expect(/Reference ([a-z]+)\./.exec(body)?.[1]).toBe('bcdfghjk');
      expect([addressesIn(body), (JSON.parse(body) as Chat).tools]).toEqual([0, undefined]);
    }
  });
});

describe('The production rules that are shipped', () => {
  it('mask the addresses of a call, and let each other call through unchanged', async () => {
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const service = new JudgementService(clock);
    const policy = inForce(shippedPolicy());
    for (const { body } of times(proxiedCalls(), 60)) {
      const call = decodeRequest('openai.chat', parseJson(body));
      const { action, redactions } = await service.judge({
        policy,
        accountId: 'account',
        context: CONTEXT,
        call,
        kind: 'request',
        enforceable: true,
        monitorRequested: false,
      });
      const addresses = addressesIn(body);
      expect(action === 'redact' ? 'redact' : 'allow').toBe(addresses > 0 ? 'redact' : 'allow');
      expect(action).not.toBe('block');
      expect(redactions).toEqual(addresses > 0 ? [{ type: 'contains_pii', count: addresses }] : []);
    }
  });

  it('find nothing in the ids, so that no event is refused because of them', async () => {
    const ids = events(submittedRequests()).flatMap(({ event_id: own, request_id: id }) => [
      id,
      ...(own === undefined ? [] : [own]),
    ]);
    const segments = ids.map((text): Segment => ({ path: 'text', role: 'user', text, ref: 0 }));
    const { detectors } = inForce(shippedPolicy());
    const outcomes = await runScan(detectors, segments, { nowMs: () => 0, deadlineMs: 1_000 });
    expect(outcomes).toHaveLength(detectors.length);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'scanned', findings: [] });
  });

  it('find no credential in an answer, so that each goes to the caller unchanged', async () => {
    const texts = times(proxiedCalls()).map(({ body }) => answerTo(body));
    const segments = texts.map((text): Segment => ({ path: 'text', role: 'assistant', text, ref: 0 }));
    const outcomes = await runScan(inForce(shippedPolicy()).detectors, segments, { nowMs: () => 0, deadlineMs: 1_000 });
    const secrets = outcomes.find(({ detector }) => detector === 'secrets');
    expect(secrets).toMatchObject({ status: 'scanned', findings: [] });
  });
});

describe('The answer to a proxied call', () => {
  it('is right if it is the one of the provider to this call, which received no address', () => {
    const calls = times(proxiedCalls(), 20);
    for (const { body, isRight } of calls) {
      const governed = body.replaceAll(/[a-z.]+@[a-z.]+example\.com/g, '[EMAIL_1]');
      expect(isRight(answerTo(governed))).toBe(true);
      expect(isRight(answerTo(body))).toBe(addressesIn(body) === 0);
    }
    const [one, other] = calls;
    expect(one?.isRight(answerTo(other?.body ?? ''))).toBe(false);
  });

  it('is wrong if its text is changed, cut off or no JSON', () => {
    const { body, isRight } = proxiedCalls()();
    const answer = answerTo(body);
    expect(isRight(answer)).toBe(true);
    expect(isRight(replaced(answer, '"content":"', '"content":"X'))).toBe(false);
    for (const wrong of [answer.slice(0, -1), '', 'null', '[]', '{"id":1}']) expect(isRight(wrong)).toBe(false);
  });

  it('of a program that masks nothing must show that the addresses arrived', () => {
    for (const { body, isRight } of times(proxiedCalls({ isGoverned: false }), 20))
      expect(isRight(answerTo(body))).toBe(true);
  });

  it('to any call can be recognised as a complete one', () => {
    const answer = answerTo('{"messages":[]}');
    expect(isAnswer(answer)).toBe(true);
    expect(isAnswer(replaced(answer, '"content":"', '"content":"X'))).toBe(false);
    expect(isAnswer('{"choices":[]}')).toBe(false);
  });
});

describe('The answer to an event', () => {
  /** Calls with and without an own id, with and without addresses. */
  const made = times(submittedRequests(), 40).map((sent) => ({ sent, event: parsed<Event>(sent) }));
  const answerOf = (event: Event, change: object): string =>
    JSON.stringify({ event_id: event.event_id ?? 'made', violations: [], redactions: [], ...change });
  const masked = (payload: object): object =>
    JSON.parse(JSON.stringify(payload).replaceAll(/[a-z.]+@[a-z.]+example\.com/g, '[EMAIL_1]')) as object;

  it('is right with the decision that the text requires, and with the payload to send only if it is masked', () => {
    for (const { sent, event } of made) {
      const hasAddress = addressesIn(sent.body) > 0;
      const redact = { decision: 'redact', payload: masked(event.payload) };
      expect(sent.isRight(answerOf(event, { decision: 'allow' }))).toBe(!hasAddress);
      expect(sent.isRight(answerOf(event, redact))).toBe(hasAddress);
      expect(sent.isRight(answerOf(event, { decision: 'redact', payload: event.payload }))).toBe(false);
      expect(sent.isRight(answerOf(event, { decision: 'redact' }))).toBe(false);
      expect(sent.isRight(answerOf(event, { decision: 'block' }))).toBe(false);
    }
  });

  it('is wrong with the id of another event', () => {
    const own = made.find(({ sent, event }) => event.event_id !== undefined && addressesIn(sent.body) === 0);
    const answer = { event_id: 'call-of-another', decision: 'allow' };
    expect(own?.sent.isRight(answerOf(own.event, { decision: 'allow' }))).toBe(true);
    expect(own?.sent.isRight(JSON.stringify(answer))).toBe(false);
  });

  it('to an answer says that it is recorded', () => {
    const next = submittedEvents();
    const sent = times(next).find((one) => parsed<Event>(one).type === 'ai.response');
    const event = sent === undefined ? undefined : parsed<Event>(sent);
    const id = event?.event_id ?? 'made';
    expect(sent?.isRight(JSON.stringify({ event_id: id, status: 'recorded', violations: [] }))).toBe(true);
    expect(sent?.isRight(JSON.stringify({ event_id: id, decision: 'allow' }))).toBe(false);
  });
});

describe('Streamed calls', () => {
  it('each have their own request and their own text, in pieces as long as tokens', () => {
    const EVENTS = 60;
    const calls = times(streamedCalls(EVENTS), 50);
    expect(areNew(calls.map(({ body }) => body))).toBe(true);
    expect(areNew(calls.map(({ text }) => text))).toBe(true);
    for (const { body, text } of calls) {
      expect(body).toContain('"stream":true');
      const tokens = streamedTokens(referenceIn(body) ?? '', EVENTS);
      expect(tokens).toHaveLength(EVENTS);
      expect([tokens[0], tokens.join('')]).toEqual(['', text]);
      expect(Math.max(...tokens.map(({ length }) => length))).toBeLessThanOrEqual(8);
      expect(tokens.filter((token) => token.startsWith(' ')).length).toBeGreaterThan(EVENTS / 4);
    }
  });
});
