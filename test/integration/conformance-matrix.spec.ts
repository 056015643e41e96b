import { ACTIONS, allCells, expectedAction, read, type Cell, type MatrixAction } from '../matrix/check-cell.js';
import { FORMS } from '../matrix/forms.js';
import { CANARY } from '../matrix/planter.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { testPolicy } from '../support/test-app.js';

/** Different in each run, unless `WEIR_TEST_SEED` is set. */
const SEED = Number(process.env['WEIR_TEST_SEED']);
const ENVIRONMENTS = { flag: 'development', redact: 'staging', block: 'production' } as const;
const NEUTRAL = { choices: [{ index: 0, message: { role: 'assistant', content: 'fine' } }] };
const NEUTRAL_REQUEST = { model: 'm', max_tokens: 9, messages: [] };

/** One rule per stage, each with the same action. */
function policy(action: MatrixAction): string {
  const then = action === 'redact' ? 'redact, redact: { entities: [MAIL] }' : action;
  const rules = ['pre', 'post', 'tool'].map(
    (stage) =>
      `  - { id: ${stage}, stage: ${stage}, when: { words.count: { gt: 0 } }, then: { action: ${then} }, on_unknown: match }`,
  );
  const text = testPolicy(ENVIRONMENTS[action], 'content: redacted');
  return `${text.slice(0, text.indexOf('rules:'))}rules:\n${rules.join('\n')}\n`;
}

/** The canary is split in a stream, so it is searched for in the texts that a client would assemble. */
function textsOf(cell: Cell, body: string): string {
  if (cell.form.kind !== 'answer' || !cell.streamed) return body;
  return read({ ...cell, text: body })
    .call.segments.map(({ text }) => text)
    .join('\n');
}

describe('the conformance matrix, through the service', () => {
  const { app, upstream } = appWithUpstream({
    policies: Object.fromEntries(ACTIONS.map((action) => [`${ENVIRONMENTS[action]}/policy.yaml`, policy(action)])),
  });
  beforeEach(() => void (upstream().requests.length = 0));

  const post = async (url: string, headers: Record<string, string>, body: string) => {
    const response = await fetch(`${app().url}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { response, text: await response.text() };
  };

  /** The differences between the service's answer to this cell and the expected one. */
  async function problems(cell: Cell, action: MatrixAction): Promise<string[]> {
    const { form, location, text } = cell;
    const key = app().bootstrap.keys[ENVIRONMENTS[action]];
    if (form.unjudged?.[location.name] !== undefined) return [];
    if (form.path === undefined) return restProblems(cell, action, key);
    const path = `${form.style}${cell.streamed && form.streamedPath !== undefined ? form.streamedPath : form.path}`;
    const isAnswer = form.kind === 'answer';
    if (!isAnswer) upstream().answerJson(NEUTRAL);
    else if (cell.streamed && form.streamsList !== true) upstream().answerSse([text]);
    else upstream().answerJson(text);
    const asks = cell.streamed && form.streamedPath === undefined;
    const request = JSON.stringify({ ...NEUTRAL_REQUEST, ...(asks && { stream: true }) });
    const sent = upstream().requests.length;
    const { response, text: answer } = await post(
      `/proxy/${path}`,
      { 'x-service-key': key },
      isAnswer ? request : text,
    );
    const got = isAnswer
      ? answer
      : upstream()
          .requests.slice(sent)
          .map(({ body }) => body.toString('utf8'))
          .join('');
    const isRefused = response.status === 400 || (cell.streamed && answer.includes('"weir":{'));
    const found: string[] = [];
    if (isRefused !== (expectedAction(cell, action) === 'block')) found.push(`status ${response.status}`);
    if (textsOf(cell, got).includes(CANARY) !== (action === 'flag')) found.push('the canary is missing or unexpected');
    if (action === 'flag' && got !== text) found.push('the bytes were changed');
    const asked = isAnswer
      ? await reportedProblems(cell, action, key, path, request)
      : await askedProblems(cell, key, path, isRefused ? undefined : got);
    return [...found, ...asked.map((problem) => `asked about: ${problem}`)];
  }

  /**
   * The same request to `/v1/calls`: the differences between the body to be sent and the one the proxy sends. @param
   * sent the body that the proxy sent; undefined if it refused
   */
  async function askedProblems({ text }: Cell, key: string, path: string, sent: string | undefined) {
    const { response, text: answer } = await ask(path, key, text);
    const got = response.status === 204 ? text : response.status === 200 ? answer : undefined;
    const found: string[] = [];
    if (sent === undefined && response.status !== 400) found.push(`status ${response.status}`);
    if (got !== sent) found.push('the body to be sent differs from the one the proxy sends');
    return found;
  }

  /** The same answer, reported to `/v1/calls`: the differences between its violations and the expected ones. */
  async function reportedProblems(cell: Cell, action: MatrixAction, key: string, path: string, request: string) {
    const asked = await ask(path, key, request);
    const { response, text: answerText } = await post(
      `/v1/calls/${asked.response.headers.get('x-weir-call')}/answer`,
      {
        authorization: `Bearer ${key}`,
        'x-weir-status': '200',
        'content-type': cell.streamed && cell.form.streamsList !== true ? 'text/event-stream' : 'application/json',
      },
      cell.text,
    );
    const found: string[] = [];
    if (response.status !== 200) return [`status ${response.status}`];
    const { violations } = JSON.parse(answerText) as { violations: { action: string; enforced: boolean }[] };
    if (!violations.some((violation) => violation.action === action)) found.push('no matching violation');
    if (violations.some(({ enforced }) => enforced)) found.push('a reported violation is marked as enforced');
    if (answerText.includes(CANARY)) found.push('the violations contain the canary');
    return found;
  }

  const ask = (path: string, key: string, body: string) =>
    post(`/v1/calls/${path}`, { authorization: `Bearer ${key}` }, body);

  async function restProblems(cell: Cell, action: MatrixAction, key: string): Promise<string[]> {
    const { form, text } = cell;
    const expected = expectedAction(cell, action);
    const { response, text: answer } = await post('/v1/events', { authorization: `Bearer ${key}` }, text);
    const isRefusable = form.kind !== 'answer';
    const found: string[] = [];
    if (response.status !== 200 && response.status !== 400) found.push(`status ${response.status}`);
    if ((response.status === 400) !== (expected === 'block' && isRefusable)) found.push(`status ${response.status}`);
    if (form.kind !== 'tool call' && !answer.includes(`"action":"${expected}"`)) found.push('no matching violation');
    if (answer.includes(CANARY)) found.push('the answer contains the canary');
    return found;
  }

  it.each(ACTIONS)(
    'has the decision %s for every location of the canary on every surface',
    async (action) => {
      const red: string[] = [];
      for (const cell of allCells(FORMS, [SEED])) {
        const { form, location, streamed } = cell;
        const name = `seed ${SEED}: ${form.surface}, ${form.name} (${form.kind}${streamed ? ', streamed' : ''}): ${location.name}`;
        for (const problem of await problems(cell, action)) red.push(`${name}: ${problem}`);
      }
      expect(red).toEqual([]);
    },
    480_000,
  );
});
