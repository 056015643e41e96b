import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { serveLowPriority } from '../low-priority.js';
import { longText } from '../long-text.js';

/** Calls with texts of `units` UTF-16 units, one per second. */
export interface LongCalls {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly units: number;
  /** Number of the first text; texts with different numbers differ. */
  readonly first: number;
}

const OVERLOAD_STATUS = 503;

/** The code of an error in OpenAI's dialect. */
function errorCode(body: string): string {
  return (JSON.parse(body) as { error: { code: string } }).error.code;
}

async function answerTo({ url, headers }: LongCalls, body: string): Promise<string> {
  try {
    const answer = await request(url, { method: 'POST', headers, body });
    const text = await answer.body.text();
    return answer.statusCode === OVERLOAD_STATUS ? errorCode(text) : String(answer.statusCode);
  } catch {
    return 'failed';
  }
}

/** @returns the number of answers by status or error code */
async function longCalls(input: LongCalls): Promise<Record<string, number>> {
  const { units, first, seconds } = input;
  const pending: Promise<string>[] = [];
  for (let second = 0; second < seconds; second++) {
    const dueMs = performance.now() + 1_000;
    const count = first + second;
    const content = longText(units, count, count % 2 === 0);
    pending.push(answerTo(input, JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] })));
    await pause(Math.max(0, dueMs - performance.now()));
  }
  const answers: Record<string, number> = {};
  for (const what of await Promise.all(pending)) answers[what] = (answers[what] ?? 0) + 1;
  return answers;
}

serveLowPriority(longCalls);
