/** Example calls to copy, for each kind of client. */

import type { Schemas } from '../api/client.ts';

export type Way = 'curl' | 'Node' | 'Python' | 'REST';
/** The API style of a provider, as the service reports it. */
export type Style = Schemas['Me']['server']['providers'][number]['style'];
type ClientWay = Exclude<Way, 'REST'>;
export const SNIPPET_KINDS: readonly Way[] = ['curl', 'Node', 'Python', 'REST'];

interface SnippetOptions {
  readonly way: Way;
  readonly provider: string;
  readonly style: Style;
  readonly baseUrl: string;
  /** The key itself, or the variable that holds it. */
  readonly key: string;
  readonly text: string;
}

export function snippet({ way, provider, style, baseUrl, key, text }: SnippetOptions): string {
  if (way !== 'REST') return OF_CLIENTS[style](way, `${baseUrl}/proxy/${provider}`, key, text);
  return `curl ${baseUrl}/v1/events \\
  -H "authorization: Bearer ${key}" \\
  -H "content-type: application/json" \\
  -d '{"type":"ai.request","request_id":"first","payload":{"messages":[{"role":"user","content":"${text}"}]}}'`;
}

/** Calls with each API's official clients. */
const OF_CLIENTS = {
  openai: openaiSnippet,
  anthropic: anthropicSnippet,
  gemini: geminiSnippet,
} satisfies Record<Style, (way: ClientWay, root: string, key: string, text: string) => string>;

function openaiSnippet(way: ClientWay, root: string, key: string, text: string): string {
  switch (way) {
    case 'curl':
      return `curl ${root}/v1/chat/completions \\
  -H "x-service-key: ${key}" \\
  -H "authorization: Bearer $OPENAI_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"${text}"}]}'`;
    case 'Node':
      return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${root}/v1',
  defaultHeaders: { 'x-service-key': ${quoted(key, 'process.env.WEIR_KEY')} },
});
const answer = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: '${text}' }],
});`;
    case 'Python':
      return `from openai import OpenAI

client = OpenAI(
    base_url="${root}/v1",
    default_headers={"x-service-key": ${quoted(key, 'os.environ["WEIR_KEY"]', '"')}},
)
answer = client.chat.completions.create(
    model="gpt-4o-mini",
    messages=[{"role": "user", "content": "${text}"}],
)`;
  }
}

function anthropicSnippet(way: ClientWay, root: string, key: string, text: string): string {
  switch (way) {
    case 'curl':
      return `curl ${root}/v1/messages \\
  -H "x-service-key: ${key}" \\
  -H "x-api-key: $ANTHROPIC_API_KEY" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "content-type: application/json" \\
  -d '{"model":"claude-sonnet-4-5","max_tokens":200,"messages":[{"role":"user","content":"${text}"}]}'`;
    case 'Node':
      return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${root}',
  defaultHeaders: { 'x-service-key': ${quoted(key, 'process.env.WEIR_KEY')} },
});
const answer = await client.messages.create({
  model: 'claude-sonnet-4-5',
  max_tokens: 200,
  messages: [{ role: 'user', content: '${text}' }],
});`;
    case 'Python':
      return `from anthropic import Anthropic

client = Anthropic(
    base_url="${root}",
    default_headers={"x-service-key": ${quoted(key, 'os.environ["WEIR_KEY"]', '"')}},
)
answer = client.messages.create(
    model="claude-sonnet-4-5",
    max_tokens=200,
    messages=[{"role": "user", "content": "${text}"}],
)`;
  }
}

function geminiSnippet(way: ClientWay, root: string, key: string, text: string): string {
  switch (way) {
    case 'curl':
      return `curl ${root}/v1beta/models/gemini-2.5-flash:generateContent \\
  -H "x-service-key: ${key}" \\
  -H "x-goog-api-key: $GEMINI_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"contents":[{"role":"user","parts":[{"text":"${text}"}]}]}'`;
    case 'Node':
      return `import { GoogleGenAI } from '@google/genai';

const ai = new GoogleGenAI({
  httpOptions: {
    baseUrl: '${root}',
    headers: { 'x-service-key': ${quoted(key, 'process.env.WEIR_KEY')} },
  },
});
const answer = await ai.models.generateContent({
  model: 'gemini-2.5-flash',
  contents: '${text}',
});`;
    case 'Python':
      return `from google import genai

client = genai.Client(http_options={
    "base_url": "${root}",
    "headers": {"x-service-key": ${quoted(key, 'os.environ["WEIR_KEY"]', '"')}},
})
answer = client.models.generate_content(
    model="gemini-2.5-flash",
    contents="${text}",
)`;
  }
}

function quoted(key: string, variable: string, quote = "'"): string {
  return key.startsWith('$') ? variable : `${quote}${key}${quote}`;
}
