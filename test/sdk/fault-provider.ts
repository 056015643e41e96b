import Anthropic, { InternalServerError as AnthropicServerError } from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI, { InternalServerError as OpenAiServerError } from 'openai';
import { weir, type Weir, type WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';

/** Joined from pieces, so that no scanner takes them for real ones. */
export const SECRET = ['planted', 'prompt', '4711'].join('-');
export const PROVIDER_KEY = ['provider', 'key', '4711'].join('-');

/** A guarded client, with two kinds of calls. */
export interface FaultClient {
  readonly client: object;
  ask(): Promise<unknown>;
  stream(): Promise<AsyncIterable<unknown>>;
}

interface Kind {
  make(providerUrl: string, options: WeirOptions | Weir): FaultClient;
  /** The class of the error if Weir is unavailable. */
  readonly unavailable: abstract new (...given: never[]) => Error;
}

const MESSAGES = [{ role: 'user' as const, content: SECRET }];

export const CLIENTS: Readonly<Record<'openai' | 'anthropic' | 'gemini', Kind>> = {
  openai: {
    unavailable: OpenAiServerError,
    make(providerUrl, options) {
      const bare = new OpenAI({ apiKey: PROVIDER_KEY, baseURL: `${providerUrl}/v1`, maxRetries: 0 });
      const client = weir(bare, options);
      const call = { model: 'gpt-4o', messages: MESSAGES };
      return {
        client,
        ask: () => client.chat.completions.create(call),
        stream: () => client.chat.completions.create({ ...call, stream: true }),
      };
    },
  },
  anthropic: {
    unavailable: AnthropicServerError,
    make(providerUrl, options) {
      const client = weir(new Anthropic({ apiKey: PROVIDER_KEY, baseURL: providerUrl, maxRetries: 0 }), options);
      const call = { model: 'claude-test', max_tokens: 9, messages: MESSAGES };
      return {
        client,
        ask: () => client.messages.create(call),
        stream: () => client.messages.create({ ...call, stream: true }),
      };
    },
  },
  gemini: {
    unavailable: ApiError,
    make(providerUrl, options) {
      const httpOptions = { baseUrl: providerUrl, retryOptions: { attempts: 1 } };
      const client = weir(new GoogleGenAI({ apiKey: PROVIDER_KEY, httpOptions }), options);
      const call = { model: 'gemini-test', contents: SECRET };
      return {
        client,
        ask: () => client.models.generateContent(call),
        stream: () => client.models.generateContentStream(call),
      };
    },
  },
};

/** The answers of each provider: complete, and as the events of a stream. */
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const ANSWERS = {
  openai: {
    whole: {
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o', usage: USAGE },
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
    },
    events: ['One ', 'two ', 'three'].map((content) => ({
      ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o' },
      choices: [{ index: 0, delta: { content } }],
    })),
  },
  anthropic: {
    whole: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', stop_reason: 'end_turn' },
      content: [{ type: 'text', text: 'Hi' }],
      usage: { input_tokens: 3, output_tokens: 2 },
    },
    events: ['One ', 'two ', 'three'].map((text) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })),
  },
  gemini: {
    whole: { responseId: 'r-1', candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] } }] },
    events: ['One ', 'two ', 'three'].map((text) => ({
      responseId: 'r-1',
      candidates: [{ content: { role: 'model', parts: [{ text }] } }],
    })),
  },
};

/** A provider for all three clients that can pause before an answer, and after the first event of a stream. */
export class FaultProvider {
  /** Awaited before an answer, or after the first event of a stream. */
  meanwhile: () => unknown = () => undefined;

  private constructor(private readonly server: RawUpstream) {
    server.answer(async (response, { url, body }) => {
      const { whole, events } = url.includes('gemini')
        ? ANSWERS.gemini
        : url.includes('/messages')
          ? ANSWERS.anthropic
          : ANSWERS.openai;
      if (!url.includes('streamGenerateContent') && !body.includes('"stream":true')) {
        await this.meanwhile();
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [index, event] of events.entries()) {
        if (index === 1) await this.meanwhile();
        const name = 'type' in event ? `event: ${event.type}\n` : '';
        response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
      }
      response.end(whole === ANSWERS.openai.whole ? 'data: [DONE]\n\n' : undefined);
    });
  }

  static async start(): Promise<FaultProvider> {
    return new FaultProvider(await RawUpstream.start());
  }

  get url(): string {
    return this.server.url;
  }

  /** The number of received calls. */
  get calls(): number {
    return this.server.requests.length;
  }

  /** Forgets all received calls. */
  reset(): void {
    this.server.requests.length = 0;
    this.meanwhile = () => undefined;
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
