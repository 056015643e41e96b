import { runScan, type Segment } from '../src/core/index.js';
import { inForce, shippedPolicy } from './shipped-policy.js';
import { answerBody, chatBody, eventBodies, eventBody, PROVIDER_KEY } from './usual-calls.js';

interface Event {
  readonly type: string;
  readonly request_id: string;
  readonly payload: { readonly output?: string; readonly messages?: readonly { readonly content: string }[] };
}
interface Answer {
  readonly id: string;
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
}

const MANY = 400;
const listOf = <Value>(make: () => string): Value[] => Array.from({ length: MANY }, () => JSON.parse(make()) as Value);
const textOf = ({ payload }: Event): string => payload.output ?? payload.messages?.at(-1)?.content ?? '';
const areNew = (values: readonly string[]): boolean => new Set(values).size === values.length;

describe('The calls of the benches', () => {
  it('each have their own text, id and answer, so that no cache answers what applications do not repeat', () => {
    const events = listOf<Event>(() => eventBody());
    expect([areNew(events.map(textOf)), areNew(events.map(({ request_id: id }) => id))]).toEqual([true, true]);
    expect(areNew(listOf<object>(() => chatBody()).map((body) => JSON.stringify(body)))).toBe(true);
    const answers = listOf<Answer>(() => answerBody());
    expect(areNew(answers.map(({ id }) => id))).toBe(true);
    expect(areNew(answers.map(({ choices: [{ message }] }) => message.content))).toBe(true);
  });

  it('submit the answer of a call with the id of its request, after the events of other calls', () => {
    const events = listOf<Event>(eventBodies());
    const requests = events.filter(({ type }) => type === 'ai.request').map(({ request_id: id }) => id);
    const answers = events.filter(({ type }) => type === 'ai.response').map(({ request_id: id }) => id);
    expect(requests.length + answers.length).toBe(MANY);
    expect(areNew(requests)).toBe(true);
    expect(answers).toEqual(requests.slice(0, answers.length));
    expect(answers.length).toBeGreaterThan(MANY / 3);
    expect(areNew(events.map(textOf))).toBe(true);
  });

  it('are of the same kinds for two services that are compared, and each gets both events of its calls', () => {
    const loads = [eventBodies(), eventBodies()];
    const events = listOf<readonly [Event, Event]>(() => `[${loads.map((next) => next()).join(',')}]`);
    expect(events.every(([before, after]) => before.type === after.type)).toBe(true);
    for (const side of [0, 1] as const) {
      const own = events.map((pair) => pair[side]);
      const asked = new Set(own.filter(({ type }) => type === 'ai.request').map(({ request_id: id }) => id));
      expect(own.every(({ request_id: id }) => asked.has(id))).toBe(true);
    }
  });

  it('repeat the wanted share of their texts', () => {
    const texts = listOf<Event>(() => eventBody(50)).map(textOf);
    expect(texts.length - new Set(texts).size).toBeGreaterThan(MANY / 20);
  });

  it('have a provider key as long as the usual ones', () => {
    expect(PROVIDER_KEY).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
    expect(PROVIDER_KEY).toHaveLength(164);
  });

  it('contain nothing that a shipped detector finds, so that each is let through unchanged', async () => {
    const events = listOf<Event>(eventBodies());
    const answers = listOf<Answer>(() => answerBody());
    const texts = [
      ...events.flatMap((event) => [event.request_id, textOf(event)]),
      ...answers.flatMap(({ id, choices: [{ message }] }) => [id, message.content]),
    ];
    const segments = texts.map((text): Segment => ({ path: 'text', role: 'user', text, ref: 0 }));
    const { detectors } = inForce(shippedPolicy());
    const outcomes = await runScan(detectors, segments, { nowMs: () => 0, deadlineMs: 1_000 });
    expect(
      outcomes.map((outcome) => [outcome.status, outcome.status === 'scanned' && outcome.findings.length]),
    ).toEqual(detectors.map(() => ['scanned', 0]));
  });
});
