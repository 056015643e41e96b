import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Executed } from '../support/executed.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { walksOf, type Walk } from '../support/walks.js';

const [toRow, toClient] = walksOf() as [Walk, Walk];

/** Paths that timers of the process execute repeatedly, independently of calls. */
const BESIDE: readonly string[] = [
  ...[
    'src/budgets',
    'src/database',
    'src/deployments',
    'src/erasure',
    'src/exports',
    'src/http',
    'src/identity',
    'src/metrics',
  ],
  ...['src/overload', 'src/limits', 'src/policy-store', 'src/subscription', 'src/workers', 'src/access'],
  ...['src/events/partition-keeper.ts', 'src/events/partitions.ts', 'src/events/event-log.ts'],
];
/** The number of repetitions: a timer may fire during one of them, but hardly during all. */
const TIMES = 5;

/** The files that ran in every repetition. */
async function ranInEach(call: (time: number) => Promise<void>): Promise<ReadonlySet<string>> {
  let ran: ReadonlySet<string> | undefined;
  for (let time = 0; time < TIMES; time++) {
    const executed = await Executed.start();
    await call(time);
    const now = await executed.stop();
    ran = ran === undefined ? now : new Set([...ran].filter((file) => now.has(file)));
  }
  return ran!;
}

/** The files that ran and are in no list. */
function unnamed(ran: ReadonlySet<string>, { files, asked }: Walk): string[] {
  const isAsked = (file: string): boolean => [...asked, ...BESIDE].some((path) => `${file}/`.startsWith(`${path}/`));
  return [...ran].filter((file) => !files.includes(file) && !isAsked(file));
}

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** A part of an answer with a value to mask. */
const piece = (n: number): string => `this goes to mail-${n}, and to nobody else at all. `;

describe('the two walks of docs/architecture.md, compared with the files that V8 executes', () => {
  const { app, upstream } = appWithUpstream();

  const submit = async (): Promise<unknown> => {
    const answer = await fetch(`${app().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'ai.request',
        event_id: randomUUID(),
        request_id: 'walk',
        metadata: { team: 'blue', session_id: 'walk' },
        payload: { messages: [{ role: 'user', content: 'write to mail-1' }] },
      }),
    });
    return answer.json();
  };

  it('are all files that run from a prompt to its row', async () => {
    await submit();
    const ran = await ranInEach(async () => {
      expect(await submit()).toMatchObject({ decision: 'redact' });
    });
    expect(unnamed(ran, toRow)).toEqual([]);
    const leftOut = 'src/calls/call-pipeline.ts';
    expect(unnamed(ran, { ...toRow, files: toRow.files.filter((file) => file !== leftOut) })).toEqual([leftOut]);
    expect(toRow.files.filter((file) => !ran.has(file))).toEqual([]);
  });

  it('are all files that run from a streamed byte to the client', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Text within the look-ahead of the detector is held, so each part is forwarded with the next one.
      response.write(chunk('to whom it may concern, ') + chunk(piece(0)));
      begun.resolve(response);
    });
    const answer = await fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'x' }] }),
    });
    const provider = await begun.promise;
    const client = answer.body!.getReader();
    const untilIt = async (says: string): Promise<void> => {
      let came = '';
      while (!came.includes(says)) came += Buffer.from((await client.read()).value!).toString();
    };
    await untilIt('concern');
    const ran = await ranInEach(async (time) => {
      provider.write(chunk(piece(time + 1)));
      await untilIt(`[MAIL_${time + 1}]`);
    });
    expect(unnamed(ran, toClient)).toEqual([]);
    expect(toClient.files.filter((file) => !ran.has(file))).toEqual([]);
    provider.end('data: [DONE]\n\n');
    while (!(await client.read()).done);
  });
});
