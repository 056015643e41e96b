import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
  type Model,
} from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { BothWays, type Way } from '../support/both-ways.js';

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
});

describe('OpenAI Agents, directly and through Weir', () => {
  let both: BothWays;
  beforeAll(async () => {
    setTracingDisabled(true);
    both = await BothWays.start();
    const { mock } = both.provider;
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny.' });
    mock.on(
      { userMessage: 'weather', hasToolResult: false },
      { toolCalls: [{ id: 'call_weather_1', name: 'get_weather', arguments: '{"city":"Zürich"}' }] },
    );
    mock.onMessage('clean up', { toolCalls: [{ name: 'run_shell', arguments: '{"cmd":"ls"}' }] });
    mock.onMessage('hello', { content: 'Hello there, how are you today?' });
    mock.onMessage('bad', { error: { message: 'No such model', type: 'not_found_error' }, status: 404 });
  }, 60_000);
  afterAll(() => both.stop());

  const client = ({ openaiUrl, headers, guard }: Way): OpenAI =>
    guard(new OpenAI({ apiKey: 'provider-key', baseURL: openaiUrl, defaultHeaders: headers }));
  const completions = (way: Way): Model => new OpenAIChatCompletionsModel(client(way), 'gpt-4o');
  const responses = (way: Way): Model => new OpenAIResponsesModel(client(way), 'gpt-4o');
  const agent = (model: Model) =>
    new Agent({ name: 'Helper', instructions: 'Help with the weather.', model, tools: [weather] });

  describe.each([
    ['chat completions', completions],
    ['responses', responses],
  ])('with %s', (_, model) => {
    it('answers', async () => {
      const answered = await both.same(async (way) => (await run(agent(model(way)), 'hello')).finalOutput);
      expect(answered).toEqual({ value: 'Hello there, how are you today?' });
    });

    it('runs a tool and continues, streamed or not', async () => {
      const answered = await both.same(async (way) => (await run(agent(model(way)), 'weather')).finalOutput);
      expect(answered).toEqual({ value: 'It is sunny.' });
      expect(both.provider.requests).toHaveLength(2);
      const streamed = await both.same(async (way) => {
        const result = await run(agent(model(way)), 'weather', { stream: true });
        const items: string[] = [];
        for await (const event of result) if (event.type === 'run_item_stream_event') items.push(event.name);
        return { items, output: result.finalOutput };
      });
      expect(streamed).toMatchObject({ value: { output: 'It is sunny.' } });
    });

    it('fails with the same errors', async () => {
      const failed = await both.same((way) => run(agent(model(way)), 'bad'));
      expect(failed).toMatchObject({ error: { status: 404 } });
    });

    it('is stopped before it runs a tool that a rule forbids', async () => {
      let ran = false;
      const shell = tool({
        name: 'run_shell',
        description: 'Runs a command.',
        parameters: z.object({ cmd: z.string() }),
        execute: () => {
          ran = true;
          return 'done';
        },
      });
      const helper = new Agent({ name: 'Helper', model: model(both.through('production')), tools: [shell] });
      await expect(run(helper, 'clean up')).rejects.toMatchObject({ status: 400, code: 'tool_use_blocked' });
      const streamed = await run(helper, 'clean up', { stream: true });
      await expect(streamed.completed).rejects.toThrow();
      expect(ran).toBe(false);
    });
  });
});
