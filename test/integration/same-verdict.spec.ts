/** `weir try` and `weir test` give the same verdict on a call as the proxy. */
import { request } from 'undici';
import { stringify } from 'yaml';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { runWeir } from '../support/run-weir.js';
import { TEST_PLUGINS, testPolicy } from '../support/test-app.js';

type Message = Readonly<Record<string, unknown>>;
type Decision = 'allow' | 'redact' | 'block';

const SETTINGS = {
  development: 'mode: monitor\nclient_monitor_mode: honor\non_blocked_history: drop',
  staging: 'client_monitor_mode: honor\non_blocked_history: replace',
  production: 'client_monitor_mode: ignore\non_blocked_history: drop',
} as const;
type Environment = keyof typeof SETTINGS;

interface Row {
  readonly env?: Environment;
  /** The messages to the model; by default a harmless question. */
  readonly messages?: readonly Message[];
  /** The answer of the model; by default a harmless text. */
  readonly answer?: Message;
  readonly decision: Decision;
  readonly rules: readonly string[];
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const call = (id: string, name: string, args: object): Message => ({
  ...{ id, type: 'function' },
  function: { name, arguments: JSON.stringify(args) },
});
const calling = (...calls: readonly Message[]): Message => ({ role: 'assistant', content: null, tool_calls: calls });
const EARLIER = [user('my number is ssn-1'), assistant('I see'), user('hello')];

const ROWS: Readonly<Record<string, Row>> = {
  'an earlier turn that is blocked, under `drop`': {
    messages: EARLIER,
    decision: 'redact',
    rules: ['words.block-ssn'],
  },
  'an earlier turn that is blocked, under `replace`': {
    ...{ env: 'staging', messages: EARLIER },
    decision: 'redact',
    rules: ['words.block-ssn'],
  },
  'an earlier turn and the last one that are blocked': {
    messages: [...EARLIER, user('ssn-2')],
    decision: 'block',
    rules: ['words.block-ssn'],
  },
  'an earlier turn that is blocked beside a mail word that stays': {
    messages: [...EARLIER.slice(0, 2), user('write to mail-1')],
    decision: 'redact',
    rules: ['words.block-ssn', 'words.redact-mail'],
  },
  'an earlier turn that is blocked, where the policy only monitors': {
    ...{ env: 'development', messages: EARLIER },
    decision: 'allow',
    rules: [],
  },
  'an answer with a call of a blocked tool': {
    answer: calling(call('c1', 'run_shell', { command: 'ls' })),
    decision: 'block',
    rules: ['tool.block-shell'],
  },
  'an answer with a harmless call and one of a blocked tool': {
    answer: calling(call('c0', 'search', { q: 'news' }), call('c1', 'run_shell', {})),
    decision: 'block',
    rules: ['tool.block-shell'],
  },
  'an answer with a mail word in the arguments of a call': {
    answer: calling(call('c1', 'search', { q: 'mail-1' })),
    decision: 'redact',
    rules: ['tool.redact-mail', 'words.redact-answer'],
  },
  'an answer with a call of a blocked tool, where the policy only monitors': {
    ...{ env: 'development', answer: calling(call('c1', 'run_shell', {})) },
    decision: 'allow',
    rules: [],
  },
};

describe('The server, `weir try` and `weir test`', () => {
  const tested = new Map<string, string>();
  const { app, upstream } = appWithUpstream({
    policies: Object.fromEntries(
      Object.entries(SETTINGS).flatMap(([name, settings]) => [
        [`${name}/policy.yaml`, testPolicy(name, settings)],
        [`tests/${name}.test.yaml`, suiteOf(name)],
      ]),
    ),
  });
  beforeAll(async () => {
    const { stdout, stderr } = await runWeir(['test', '--policies', app().policiesDir, '--json'], {
      catalog: TEST_PLUGINS,
    });
    expect([stdout === '', stderr]).toEqual([false, stderr]);
    const { results } = JSON.parse(stdout) as { results: { id: string; status: string; failures?: unknown }[] };
    for (const { id, status, failures } of results)
      tested.set(id, status === 'passed' ? status : JSON.stringify(failures));
  });

  async function served({ env = 'production', messages, answer }: Row): Promise<string> {
    upstream().answerJson({ choices: [{ index: 0, message: answer ?? assistant('fine') }] });
    const response = await request(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[env],
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'm', messages: messages ?? [user('hello')] }),
    });
    await response.body.dump();
    return response.statusCode === 200 ? String(response.headers['x-weir-decision']) : 'block';
  }

  async function tried({ env = 'production', messages, answer }: Row) {
    const text = answer === undefined ? { model: 'm', messages } : { choices: [{ index: 0, message: answer }] };
    const stage = answer === undefined ? 'pre' : 'post';
    const argv = [
      'try',
      JSON.stringify(text),
      '--stage',
      stage,
      '--env',
      env,
      '--policies',
      app().policiesDir,
      '--json',
    ];
    const { stdout } = await runWeir(argv, { catalog: TEST_PLUGINS });
    const { action, violations } = JSON.parse(stdout) as {
      action: string;
      violations: { rule: string; enforced: boolean }[];
    };
    const rules = [...new Set(violations.filter(({ enforced }) => enforced).map(({ rule }) => rule))].sort();
    return { action, rules };
  }

  it.each(Object.entries(ROWS))(
    'agree about %s',
    async (name, row) => {
      const { action, rules } = await tried(row);
      expect({ served: await served(row), tried: action, rules, tested: tested.get(idOf(name)) }).toEqual({
        served: row.decision,
        tried: row.decision,
        rules: row.rules,
        tested: 'passed',
      });
    },
    60_000,
  );
});

function idOf(name: string): string {
  return `row-${Object.keys(ROWS).indexOf(name)}`;
}

/** The rows of an environment as policy tests. */
function suiteOf(environment: string): string {
  const tests = Object.entries(ROWS)
    .filter(([, { env = 'production' }]) => env === environment)
    .map(([name, { messages, answer, decision, rules }]) => ({
      id: idOf(name),
      title: name,
      stage: answer === undefined ? 'pre' : 'post',
      messages: (answer === undefined ? messages! : [answer]).map(asInTests),
      expect: { action: decision, rules: [...rules] },
    }));
  return stringify({ apiVersion: 'weir/v1', kind: 'PolicyTest', environments: [environment], tests });
}

function asInTests({ role, content, tool_calls: calls }: Message): Message {
  return {
    role,
    ...(typeof content === 'string' ? { content: withMarks(content) } : {}),
    ...(calls === undefined ? {} : { tool_calls: callsOf(calls as never) }),
  };
}

/** A text as in a test file, in which the findings of the detector are marked. */
function withMarks(text: string): string {
  return text.replace(/\b(?:(mail)|ssn)-\d/g, (found, mail) => `{{${mail === undefined ? 'SSN' : 'MAIL'}:${found}}}`);
}

function callsOf(calls: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]) {
  return calls.map(({ id, function: { name, arguments: args } }) => ({
    ...{ id, name },
    args: JSON.parse(withMarks(args)) as object,
  }));
}
