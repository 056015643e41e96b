/** The test cases of all guarded clients, called with the official clients for Node.js. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { ClientCase } from '../matrix/client-cases.js';

/** A function that guards a client, and a `fetch` for clients that accept one. In runs without a guard, neither has an effect. */
export interface Guarding {
  guard<T extends object>(client: T): T;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Whether an official client can send such a request. The client of Gemini writes settings in camel case, counts tokens
 * only of contents that it builds itself, uses only the batch route for embeddings, and streams only as events.
 */
export function isOfOfficialClients({ provider, path, request }: ClientCase): boolean {
  if (provider !== 'gemini') return true;
  return (
    /:(?:generateContent|batchEmbedContents|streamGenerateContent\?alt=sse)$/.test(path) &&
    !('generation_config' in request)
  );
}

/** Makes the call of a case with the client of its provider, and reads the complete answer. */
export async function callWith({ guard, fetch }: Guarding, url: string, one: ClientCase): Promise<void> {
  const setup = { apiKey: 'provider-key', maxRetries: 0 };
  const openai = (): OpenAI => guard(new OpenAI({ ...setup, baseURL: `${url}/v1` }));
  const anthropic = (): Anthropic => guard(new Anthropic({ ...setup, baseURL: url }));
  const body = one.request as never;
  const path = one.path.split('?', 1)[0]!;
  switch (path) {
    case '/v1/chat/completions':
      return drain(await openai().chat.completions.create(body));
    case '/v1/responses':
      return drain(await openai().responses.create(body));
    case '/v1/completions':
      return drain(await openai().completions.create(body));
    case '/v1/embeddings':
      return drain(await openai().embeddings.create(body));
    case '/v1/messages':
      return drain(await anthropic().messages.create(body));
    case '/v1/messages/count_tokens':
      return drain(await anthropic().messages.countTokens(body));
    default:
      if (one.provider !== 'gemini') return drain(await openai().post(path.replace('/v1', ''), { body: one.request }));
      return gemini(new GoogleGenAI(geminiSetup(url, fetch)), one);
  }
}

const geminiSetup = (baseUrl: string, fetch: typeof globalThis.fetch) => ({
  apiKey: 'provider-key',
  httpOptions: { baseUrl, fetch: fetch as never, retryOptions: { attempts: 1 } },
});

/** The client of Gemini builds its own body, so the body of a case is passed as `extraBody`, which keeps its spelling. */
async function gemini({ models }: GoogleGenAI, { path, request }: ClientCase): Promise<void> {
  const [, model, method] = /models\/([^:]+):(\w+)/.exec(path) as unknown as [string, string, string];
  const asked = { model, contents: 'x', config: { httpOptions: { extraBody: request as Record<string, unknown> } } };
  switch (method) {
    case 'generateContent':
      return drain(await models.generateContent(asked));
    case 'streamGenerateContent':
      return drain(await models.generateContentStream(asked));
    default:
      return drain(await models.embedContent(asked));
  }
}

async function drain(answer: unknown): Promise<void> {
  if (typeof answer !== 'object' || answer === null || !(Symbol.asyncIterator in answer)) return;
  for await (const part of answer as AsyncIterable<unknown>) void part;
}
