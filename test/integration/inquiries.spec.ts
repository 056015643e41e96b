/**
 * Questions about policies and decisions: the rules, the reasons for a decision, differences, and hypothetical
 * decisions.
 */
import { eachApp } from '../support/each-app.js';
import { PolicyApi, policyFile, testBundle } from '../support/deployments.js';
import { restClient } from '../support/rest-client.js';

const TEXT = 'my number is ssn-7, write to mail-7 and mail-8 and mail-7';

eachApp('Questions about policies', (current) => {
  const rest = restClient(current);
  let api: PolicyApi;
  beforeAll(() => {
    api = new PolicyApi(current());
  });
  const evaluate = async (body: object) => {
    const { status, body: json } = await api.call('POST', '/evaluate', body);
    return { status, json: json as unknown as Record<string, never> };
  };
  const send = async (content: string): Promise<string> => {
    const id = `asked-${Math.random().toString(36).slice(2)}`;
    await rest.submit({
      ...{ type: 'ai.request', event_id: id, request_id: id },
      payload: { messages: [{ role: 'user', content }] },
    });
    return id;
  };

  describe('the rules', () => {
    it('of the policies folder are described in prose, with their lines in the file and without test counts', async () => {
      const { status, body } = await api.call('GET', '/rules');
      const { digest, deployment, rules } = body as never as { digest: string; deployment: null; rules: Rule[] };
      expect([status, digest, deployment]).toEqual([200, (await api.active()).body['digest'], null]);
      expect(rules.map(({ id }) => id)).toContain('words.block-ssn');
      const rule = rules.find(({ id }) => id === 'words.block-ssn')!;
      expect(rule).toMatchObject({
        ...{ title: 'Number words stay inside', stage: 'pre', action: 'block', mode: 'enforce', severity: 'critical' },
        ...{ owner: 'tests@example.com', path: 'production/policy.yaml', tests: null },
      });
      expect(rule.prose).toContain('Before a request reaches the provider, this rule refuses it');
      const { files } = (await api.call('GET', '/bundle')).body as never as { files: { path: string; text: string }[] };
      const lines = files.find(({ path }) => path === rule.path)!.text.split('\n');
      expect(lines[rule.line - 1]).toContain('- id: words.block-ssn');
      expect(lines[rule.end_line - 1]).toContain('on_unknown: match');
      expect(lines[rule.end_line]).toContain('- id: words.flag-token');
    });

    it('of a deployment, requested by number or by digest, have the number of tests in which they fire', async () => {
      const bundle = testBundle('Asked');
      const { body } = await api.deploy(bundle);
      const { number } = body.deployment;
      for (const query of [`deployment=${number}`, `digest=${bundle.policy.digest}`]) {
        const found = (await api.call('GET', `/rules?${query}`)).body as never as { deployment: number; rules: Rule[] };
        expect(found.deployment).toBe(number);
        expect(found.rules.map(({ id, tests }) => [id, tests])).toContainEqual(['words.block-ssn', 1]);
        expect(found.rules.map(({ id, tests }) => [id, tests])).toContainEqual(['words.flag-token', 0]);
      }
      expect((await api.call('GET', `/rules?digest=${'0'.repeat(64)}`)).status).toBe(404);
      expect((await api.call('GET', '/rules?deployment=x')).body.error.details[0]?.path).toBe('deployment');
    });
  });

  describe('judging a hypothetical call', () => {
    it('returns the decision, the text as it would be forwarded, and the reasons, and stores nothing', async () => {
      const before = (await rest.read('/v1/events')).json as { data: unknown[] };
      const { status, json } = await evaluate({ text: 'write to mail-7 and mail-8 and mail-7' });
      expect([status, json['decision'], json['text']]).toEqual([
        ...[200, 'redact', 'write to [MAIL_1] and [MAIL_2] and [MAIL_1]'],
      ]);
      expect(json['masks']).toEqual(
        [
          [9, 17, 1],
          [22, 30, 2],
          [35, 43, 1],
        ].map(([start, end, n]) => ({
          ...{ path: 'messages[0].content', start, end, n },
          ...{ entity: 'MAIL', detector: 'words' },
        })),
      );
      const rules = json['rules'] as never as { id: string; outcome: string; conditions: object[] }[];
      expect(rules[0]).toMatchObject({
        ...{ id: 'words.redact-mail', outcome: 'matched', mode: 'enforce' },
        conditions: [{ text: 'words.types any_of ["MAIL"]', result: true, value_shown: '["MAIL"]' }],
      });
      expect(rules.find(({ id }) => id === 'words.block-ssn')?.outcome).toBe('not_matched');
      expect((await rest.read('/v1/events')).json).toEqual(before);
      expect(current().logs.join('')).not.toContain('mail-8');
    });

    it('returns a refused text without its findings', async () => {
      const { json } = await evaluate({ text: TEXT });
      expect([json['decision'], json['text']]).toEqual([
        ...['block', 'my number is [SSN], write to [MAIL] and [MAIL] and [MAIL]'],
      ]);
      expect(JSON.stringify(json)).not.toMatch(/ssn-7|mail-\d/);
    });

    it('accepts conversations, answers and tool calls', async () => {
      const messages = [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'ssn-7' },
      ];
      expect((await evaluate({ messages })).json['decision']).toBe('block');
      expect((await evaluate({ stage: 'post', text: 'ask mail-7' })).json['text']).toBe('ask [MAIL_1]');
      const tool = await evaluate({ tool: { name: 'run_shell', arguments: { command: 'ls' } } });
      expect([tool.json['decision'], tool.json['reason'], tool.json['text']]).toEqual([
        ...['block', 'tool_use_blocked', null],
      ]);
    });

    it('can simulate the outage of a detector, which is not a violation', async () => {
      const { json } = await evaluate({ text: 'hello', unavailable: ['words'] });
      expect([json['decision'], json['missing']]).toEqual(['unavailable', ['words']]);
      const wrong = await api.call('POST', '/evaluate', { text: 'hello', unavailable: ['wrds'] });
      expect([wrong.status, wrong.body.error.details[0]?.path]).toEqual([422, 'unavailable[0]']);
    });

    it.each([
      ['a text', { text: 'write to mail-7', model: 'gpt-4o', metadata: { team: 'ads' } }, 'action: redact'],
      ['a conversation', { messages: [{ role: 'user', content: 'ssn-7' }] }, 'action: block'],
      ['a tool call', { tool: { name: 'run_shell', arguments: { command: 'ls' } } }, 'action: block'],
      ['a call while a detector is down', { text: 'hello', unavailable: ['words'] }, 'unavailable: true'],
    ])('turns %s into a test that passes and contains the input unchanged', async (_what, body, expected) => {
      const { json } = await evaluate({ ...body, as_test: true });
      const test = json['test'] as never as { yaml: string; passes: boolean; missing: string[] };
      expect([test.passes, test.missing]).toEqual([true, []]);
      expect(test.yaml).toContain(expected);
      expect(test.yaml).toContain(
        Object.hasOwn(body, 'tool') ? 'run_shell' : /mail-7|ssn-7|hello/.exec(JSON.stringify(body))![0],
      );
      expect((await evaluate(body)).json['test']).toBeNull();
    });

    it('accepts a bundle that is not deployed, and reports its errors', async () => {
      const { path, text } = policyFile('Lenient');
      const bundle = testBundle('Lenient', {
        files: [{ path, text: text.replace('any_of: [SSN]', 'any_of: [TOKEN]') }],
      });
      expect((await evaluate({ text: 'ssn-7', bundle })).json['decision']).toBe('allow');
      const broken = { ...bundle, files: [{ path, text: 'apiVersion: weir/v1\nkind: Policy\n' }] };
      const { status, body } = await api.call('POST', '/evaluate', { text: 'ssn-7', bundle: broken });
      expect([status, body.error.details[0]?.path]).toEqual([422, 'policy']);
    });

    it.each([
      ['nothing to judge', {}, ''],
      ['two things at once', { text: 'a', tool: { name: 'b' } }, ''],
      ['a text as a tool call', { text: 'a', stage: 'tool' }, 'tool'],
      ['a time without zone', { text: 'a', at: '2026-01-01T00:00:00' }, 'at'],
      ['an unknown field', { text: 'a', model_name: 'x' }, 'model_name'],
    ])('refuses %s', async (_what, body, path) => {
      const answer = await api.call('POST', '/evaluate', body);
      expect([answer.status, answer.body.error.details[0]?.path]).toEqual([422, path]);
    });
  });

  describe('the explanation of a decision', () => {
    it('uses the policy that decided, even if another one is active now', async () => {
      const id = await send(TEXT);
      await api.deploy(testBundle(`Since then ${Math.random()}`));
      const { status, json } = await rest.read(`/v1/events/${id}/explain?all=true`);
      expect([status, json.reproduced, json.decision, json.deciding_rule]).toEqual([
        ...[200, true, 'block', 'words.block-ssn'],
      ]);
      const rules = json.rules as { id: string; outcome: string; path: string; conditions: { line: number }[] }[];
      expect(rules[0]).toMatchObject({ id: 'words.block-ssn', outcome: 'matched', path: 'production/policy.yaml' });
      expect(rules.map(({ id: rule, outcome }) => [rule, outcome])).toContainEqual(['words.flag-token', 'not_matched']);
      expect(rules[0]!.conditions[0]!.line).toBeGreaterThan(1);
      const fired = (await rest.read(`/v1/events/${id}/explain`)).json.rules as { outcome: string }[];
      expect(new Set(fired.map(({ outcome }) => outcome))).toEqual(new Set(['matched']));
      expect(JSON.stringify(json)).not.toMatch(/ssn-7|mail-\d/);
    });

    it('is empty for an event that no rule judged', async () => {
      const id = await send(TEXT);
      const { data } = (await rest.read(`/v1/events?type=policy.violation`)).json as { data: { id: string }[] };
      const { status, json } = await rest.read(`/v1/events/${data[0]!.id}/explain`);
      expect([status, json.reproduced, json.decision, json.rules, json.missing]).toEqual([
        ...[200, null, null, [], ['no rule judged this event']],
      ]);
      expect((await rest.read(`/v1/events/${id}x/explain`)).status).toBe(404);
    });

    it('needs the scope to read policies in addition to the scope to read events', async () => {
      const id = await send('hello');
      const authorization = `Bearer ${await tokenWith(['events:read'])}`;
      const { status } = await rest.call('GET', `/v1/events/${id}/explain`, { authorization });
      expect(status).toBe(403);
    });

    it('can be turned into a test that passes and contains no recorded text', async () => {
      const id = await send(TEXT);
      const { status, json } = await rest.read(`/v1/events/${id}/test?id=a-real-block`);
      expect([status, json.path, json.passes, json.missing]).toEqual([
        ...[200, 'tests/a-real-block.test.yaml', true, []],
      ]);
      expect(json.yaml).toContain('action: block\n      rules:\n        - words.block-ssn');
      expect(json.yaml).not.toMatch(/ssn-7|mail-\d/);
      const wrong = await rest.read(`/v1/events/${id}/test?id=A%20b`);
      expect([wrong.status, wrong.json.error.details[0].path]).toEqual([422, 'id']);
    });
  });

  describe('the difference between two deployments', () => {
    it('is listed by rule, with a request that demonstrates it', async () => {
      await api.deploy(testBundle('Strict'));
      const { path, text } = policyFile('Strict');
      const lenient = text.replace('any_of: [SSN]', 'all_of: [SSN, TOKEN]');
      await api.deploy(testBundle('Lenient', { files: [{ path, text: lenient }], tests: [] }), { untested: true });
      const { status, body } = await api.call('GET', '/diff');
      const diff = body as never as { rules: { id: string }[]; from: { deployment: number }; complete: boolean };
      expect([status, diff.rules.map(({ id }) => id)]).toEqual([200, ['words.block-ssn']]);
      expect(diff.rules[0]).toMatchObject({
        ...{ change: 'changed', effect: 'weaker' },
        fields: [
          {
            path: 'when',
            before: 'words.types any_of ["SSN"]',
            after: 'words.types all_of ["SSN","TOKEN"]',
          },
        ],
        witness: expect.arrayContaining([expect.objectContaining({ before: 'block', when: 'words finds SSN' })]),
      });
      const back = (await api.call('GET', `/diff?from=${diff.from.deployment + 1}&to=${diff.from.deployment}`)).body;
      expect((back as never as { rules: object[] }).rules[0]).toMatchObject({ effect: 'stricter' });
      const none = (await api.call('GET', `/diff?from=${diff.from.deployment}&to=${diff.from.deployment}`)).body;
      expect((none as never as { rules: object[] }).rules).toEqual([]);
      const staging = (await api.call('GET', '/diff?to_environment=staging')).body as never as { to: object };
      expect(staging.to).toMatchObject({ environment: 'staging', deployment: null });
      expect((await api.call('GET', '/diff?from=999')).status).toBe(404);
    });
  });

  it('list exceptions with their end, their condition and their line in the file', async () => {
    const { path, text } = policyFile('With an exception');
    const exceptions = `exceptions:
  - { id: EX-1, rules: [words.block-ssn], when: { app.name: hr }, effect: monitor, because: Agreed, approved_by: dpo@example.com, ticket: T-1, expires: 2099-01-01T00:00:00Z }
`;
    const more = testBundle('Excepting', { files: [{ path, text: text + exceptions }] });
    expect((await api.deploy(more)).status).toBe(201);
    const { body } = await api.call('GET', '/exceptions');
    expect(body.data).toEqual([
      {
        ...{ id: 'EX-1', environment: 'production', rules: ['words.block-ssn'], effect: 'monitor', conditional: true },
        ...{ when: 'app.name eq "hr"', because: 'Agreed', approved_by: 'dpo@example.com', ticket: 'T-1' },
        ...{ expires: '2099-01-01T00:00:00.000Z', state: 'later', path: 'production/policy.yaml' },
        line: text.split('\n').length + 1,
        ...{ hits_30d: 0, kept_30d: 0, last_hit: null },
      },
    ]);
    const headers = { authorization: `Bearer ${await tokenWith(['policy:read'])}` };
    const blind = (await rest.call('GET', '/v1/policies/production/exceptions', headers)).json;
    expect(blind.data).toMatchObject([{ id: 'EX-1', hits_30d: null, kept_30d: null, last_hit: null }]);
    const ended = (await api.call('GET', '/diff?without=EX-1')).body as never as Record<string, object[]>;
    expect(ended['rules']).toMatchObject([
      {
        ...{ id: 'words.block-ssn', effect: 'stricter' },
        witness: expect.arrayContaining([expect.objectContaining({ after: 'block' })]),
      },
    ]);
    expect(ended['others']).toMatchObject([{ what: 'exception', id: 'EX-1', change: 'removed' }]);
    const unknown = await api.call('GET', '/diff?without=EX-2');
    expect([unknown.status, unknown.body.error.details[0]?.path]).toEqual([422, 'without']);
  });

  async function tokenWith(scopes: readonly string[]): Promise<string> {
    const response = await fetch(`${current().url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${current().bootstrap.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'reader', scopes }),
    });
    return ((await response.json()) as { secret: string }).secret;
  }
});

interface Rule {
  readonly id: string;
  readonly prose: string;
  readonly path: string;
  readonly line: number;
  readonly end_line: number;
  readonly tests: number | null;
}
