import { Pool } from 'undici';
import { referringChatBody } from '../usual-calls.js';
import { answerWords } from './reference-answer.js';

/** The URL of calls and the headers of each call. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Results of callers that each sent the next call when the previous one was answered. */
export interface Called {
  readonly seconds: number;
  /** Milliseconds until the last byte of each right answer. */
  readonly timesMs: readonly number[];
  /** Milliseconds until the first byte of each right answer. */
  readonly firstMs: readonly number[];
  readonly wrong: number;
  /** Reason of the first wrong answer, without any of its text. */
  readonly whyWrong?: string | undefined;
}

const DIGITS = 'bcdfghjkmp';
let referred = 0;

/** A new reference for each call, of letters that form no word. */
const newReference = (): string => {
  referred += 1;
  return [...String(referred).padStart(8, '0')].map((digit) => DIGITS[Number(digit)]).join('');
};

const TIMEOUT_MS = 60_000;

/** Runs the given number of callers for the given seconds. Each answer is read and must be complete and match its call. */
export async function call(endpoint: Endpoint, streamed: boolean, callers: number, seconds: number): Promise<Called> {
  const { origin, pathname } = new URL(endpoint.url);
  const pool = new Pool(origin, { connections: callers, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const timesMs: number[] = [];
  const firstMs: number[] = [];
  let wrong = 0;
  let whyWrong: string | undefined;
  const one = async (): Promise<void> => {
    const reference = newReference();
    const startedMs = performance.now();
    let byteMs: number | undefined;
    const { statusCode, body } = await pool.request({
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...endpoint.headers },
      body: referringChatBody(reference, streamed),
    });
    const chunks: Buffer[] = [];
    for await (const chunk of body as AsyncIterable<Buffer>) {
      byteMs ??= performance.now() - startedMs;
      chunks.push(chunk);
    }
    const tookMs = performance.now() - startedMs;
    const text = Buffer.concat(chunks).toString('utf8');
    if (statusCode !== 200) throw new Error(`answered ${statusCode}${codeOf(text)}`);
    if ((streamed ? streamedText(text) : wholeText(text)) !== answerWords(reference).join(''))
      throw new Error('the answer is not the one to its call');
    timesMs.push(tookMs);
    firstMs.push(byteMs ?? tookMs);
  };
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const caller = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await one().catch((error: unknown) => {
        wrong += 1;
        whyWrong ??= error instanceof Error ? error.message : String(error);
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: callers }, caller));
    return { seconds: (performance.now() - startedMs) / 1_000, timesMs, firstMs, wrong, whyWrong };
  } finally {
    await pool.destroy();
  }
}

/** The error code of a refusal; the rest is left out, since it may repeat the prompt. */
function codeOf(body: string): string {
  const code = /"code": ?"([a-z_]{1,40})"/.exec(body)?.[1];
  return code === undefined ? '' : ` (${code})`;
}

interface Answer {
  readonly choices: readonly {
    readonly message?: { readonly content?: string | null };
    readonly delta?: { readonly content?: string | null };
  }[];
}

/** @throws Error if the body is not an answer */
function wholeText(body: string): string {
  const { choices } = JSON.parse(body) as Answer;
  return choices[0]?.message?.content ?? '';
}

/** @throws Error if the body is not a complete stream */
function streamedText(body: string): string {
  const data = body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
  if (data.at(-1) !== '[DONE]') throw new Error('a stream has no end');
  const pieces = data.slice(0, -1).map((event) => (JSON.parse(event) as Answer).choices[0]?.delta?.content ?? '');
  return pieces.join('');
}
