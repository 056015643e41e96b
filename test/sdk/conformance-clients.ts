/** The cases that all guarded clients are tried with, made by the official clients for Node.js. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { ClientCase } from '../matrix/client-cases.js';

/** What guards a client, and the `fetch` of one that takes it; both do nothing for a bare client. */
export interface Guarding {
  guard<T extends object>(client: T): T;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Whether an official client sends such a request. Gemini's writes settings in camel case, counts tokens of contents that it
 * writes itself, embeds by the route for many, and asks for streams as events alone.
 */
export function isOfOfficialClients({ provider, path, request }: ClientCase): boolean {
  if (provider !== 'gemini') return true;
  return (
    /:(?:generateContent|batchEmbedContents|streamGenerateContent\?alt=sse)$/.test(path) &&
    !('generation_config' in request)
  );
}

/** Makes the call of a case with the client of its provider, and reads all of the answer. */
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

/** Its methods write the body anew: what a case has in it goes in beside them, under its own spelling. */
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
