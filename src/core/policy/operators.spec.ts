import { RE2JS } from 're2js';
import { truthOf } from '../decision/policy-runtime.js';
import { Unknown, type FactValue } from '../model/fact.js';
import {
  applyOperator,
  operatorNamed,
  oppositeOf,
  OPERATOR_NAMES,
  OPERATORS,
  type KnownValue,
  type OperatorContext,
} from './operators.js';
import type { Verdict } from './verdict.js';

const CONTEXT: OperatorContext = {
  list: (name) => (name === 'mailers' ? ['send_email', 'create_draft'] : []),
  pattern: (source) => RE2JS.compile(source),
};

const EVENTS = [
  { kind: 'tool_call', name: 'get_website' },
  { kind: 'tool_result', name: 'get_website' },
];
const FLOW = {
  from: { kind: 'tool_result', where: { field: 'name', op: 'eq', value: 'get_website' } },
  to: { kind: 'tool_call', where: { field: 'name', op: 'eq', value: 'send_email' } },
};
const MAIL_OUT = {
  all: [
    { field: 'name', op: 'in', value: { list: 'mailers' } },
    { not: { field: 'args.to', op: 'email_domain_in', value: ['acme.example'] } },
  ],
};

const INTERNAL = ['acme.example', '*.eu.acme.example'];

/** Operator, fact, value, verdict; null is undecided. */
const CASES: readonly (readonly [string, KnownValue, unknown, Verdict])[] = [
  ['eq', 'a', 'a', true],
  ['eq', 'A', 'a', false],
  ['eq', 5, '5', false],
  ['eq', null, 'a', false],
  ['eq', ['a'], 'a', null],
  ['eq', { a: 1 }, 'a', null],
  ['eq', false, false, true],
  ['in', 'a', ['a', 'b'], true],
  ['in', 'ab', ['a', 'b'], false],
  ['in', null, ['a'], false],
  ['in', ['a'], ['a'], null],
  ['any_of', ['a', 'c'], ['a', 'b'], true],
  ['any_of', ['c'], ['a', 'b'], false],
  ['any_of', [], ['a'], false],
  ['any_of', 'a', ['a', 'b'], true],
  ['any_of', null, ['a'], false],
  ['any_of', { a: 1 }, ['a'], null],
  ['any_of', [{ a: 1 }], ['a'], null],
  ['any_of', [{ a: 1 }, 'a'], ['a'], true],
  ['all_of', ['a', 'b', 'c'], ['a', 'b'], true],
  ['all_of', ['a'], ['a', 'b'], false],
  ['all_of', [], ['a'], false],
  ['all_of', null, ['a'], false],
  ['all_of', [{}, 'a'], ['a', 'b'], null],
  ['gt', 5, 4, true],
  ['gt', 4, 4, false],
  ['gt', '10', 9, true],
  ['gt', '9', 10, false],
  ['gt', '1e9', 1, null],
  ['gt', '5,000', 1, null],
  ['gt', '', 1, null],
  ['gt', true, 0, null],
  ['gt', NaN, 0, null],
  ['gt', null, 0, false],
  ['gt', [9], 1, null],
  ['gte', 4, 4, true],
  ['gte', null, 4, false],
  ['gte', 3.99, 4, false],
  ['lt', 3, 4, true],
  ['lt', 4, 4, false],
  ['lt', null, 4, false],
  ['lte', 4, 4, true],
  ['lte', 4.01, 4, false],
  ['lte', null, 4, false],
  ['contains', 'abc', 'b', true],
  ['contains', 'abc', 'B', false],
  ['contains', ['abc'], 'b', false],
  ['contains', ['b'], 'b', true],
  ['contains', [{}], 'b', null],
  ['contains', 'a5', 5, null],
  ['contains', 5, 5, null],
  ['contains', null, 'a', false],
  ['starts_with', 'abc', 'ab', true],
  ['starts_with', 'abc', 'bc', false],
  ['starts_with', 5, '5', null],
  ['starts_with', null, '5', false],
  ['ends_with', 'abc', 'bc', true],
  ['ends_with', 'abc', 'ab', false],
  ['ends_with', null, 'a', false],
  ['matches', 'run rm -rf /', 'rm\\s+-rf', true],
  ['matches', 'run', '^rm', false],
  ['matches', 'x'.repeat(20_001), 'x', null],
  ['matches', 5, '5', null],
  ['matches', null, 'a', false],
  ['eq_ci', 'GPT-4O', 'gpt-4o', true],
  ['eq_ci', 'ｇｐｔ', 'GPT', true],
  ['eq_ci', 'gpt', 'gpt-4', false],
  ['eq_ci', null, 'a', false],
  ['tool_is', 'run_shell', 'run_shell', true],
  ['tool_is', 'mcp__x__Run_Shell', 'run_shell', true],
  ['tool_is', 'functions.run_shell:0', 'run_shell', true],
  ['tool_is', 'dry_run_shell', 'run_shell', false],
  ['tool_is', 'run_shell.help', 'run_shell', false],
  ['tool_is', ['search', 'x/run_shell'], 'RUN_SHELL', true],
  ['tool_is', [{}], 'run_shell', null],
  ['tool_is', null, 'run_shell', false],
  ['tool_any_of', 'x:run_shell', ['search', 'run_shell'], true],
  ['tool_any_of', 'x__docs__search', ['docs__search'], true],
  ['tool_any_of', 'x__search', ['docs__search'], false],
  ['tool_any_of', 5, ['run_shell'], null],
  ['tool_any_of', null, ['run_shell'], false],
  ['before', '2026-01-01', '2026-01-02', true],
  ['before', '2026-01-01T01:00:00+02:00', '2026-01-01', true],
  ['before', '2026-01-02', '2026-01-02', false],
  ['before', '2026-02-30', '2026-03-09', null],
  ['before', 'soon', '2026-01-02', null],
  ['before', null, '2026-01-02', false],
  ['after', null, '2026-01-02', false],
  ['after', '2026-01-02T00:00:00.001Z', '2026-01-02', true],
  ['after', '2026-01-02', '2026-01-02T00:00:00Z', false],
  ['semver_gte', '1.10.0', '1.9.0', true],
  ['semver_gte', '1.9.0-rc.1', '1.9.0', false],
  ['semver_gte', 'latest', '1.0.0', null],
  ['semver_gte', null, '1.0.0', false],
  ['exists', 'a', true, true],
  ['exists', '', true, true],
  ['exists', [], true, true],
  ['exists', null, true, false],
  ['email_domain_in', 'bob@acme.example', INTERNAL, true],
  ['email_domain_in', 'BOB@ACME.EXAMPLE', INTERNAL, true],
  ['email_domain_in', 'Bob <bob@acme.example>', INTERNAL, true],
  ['email_domain_in', 'bob@sales.eu.acme.example', INTERNAL, true],
  ['email_domain_in', 'bob@eu.acme.example', INTERNAL, false],
  ['email_domain_in', 'eve@evil.example', INTERNAL, false],
  ['email_domain_in', 'eve@notacme.example', INTERNAL, false],
  ['email_domain_in', 'eve@acme.example.evil.example', INTERNAL, false],
  ['email_domain_in', ['bob@acme.example', 'ann@acme.example'], INTERNAL, true],
  ['email_domain_in', ['bob@acme.example', 'eve@evil.example'], INTERNAL, null],
  ['email_domain_in', 'bob@acme.example, eve@evil.example', INTERNAL, null],
  ['email_domain_in', '"eve@evil.example" <bob@acme.example>', INTERNAL, null],
  ['email_domain_in', 'bob', INTERNAL, null],
  ['email_domain_in', '', INTERNAL, null],
  ['email_domain_in', 'bob@acme.example\u0000@evil.example', INTERNAL, null],
  ['email_domain_in', [{ address: 'bob@acme.example' }], INTERNAL, null],
  ['email_domain_in', null, INTERNAL, false],
  ['url_host_in', 'https://acme.example/path?x=1', INTERNAL, true],
  ['url_host_in', 'https://ACME.example:8443', INTERNAL, true],
  ['url_host_in', 'https://acme.example./', INTERNAL, true],
  ['url_host_in', 'https://evil.example/acme.example', INTERNAL, false],
  ['url_host_in', 'https://acme.example@evil.example/', INTERNAL, null],
  ['url_host_in', 'https://evil.example\\@acme.example/', INTERNAL, null],
  ['url_host_in', 'https://acme.example\t.evil.example/', INTERNAL, null],
  ['url_host_in', '//acme.example/', INTERNAL, null],
  ['url_host_in', 'acme.example', INTERNAL, null],
  ['url_host_in', 'https://acme%2eexample/', INTERNAL, null],
  ['url_host_in', ['https://acme.example/', 'https://evil.example/'], INTERNAL, null],
  ['url_host_in', null, INTERNAL, false],
  ['some', [{ name: 'send_email', args: { to: 'eve@evil.example' } }], MAIL_OUT, true],
  ['some', [{ name: 'send_email', args: { to: 'bob@acme.example' } }], MAIL_OUT, false],
  ['some', [{ name: 'search', args: { to: 'eve@evil.example' } }], MAIL_OUT, false],
  ['some', [{ name: 'send_email', args: {} }], MAIL_OUT, true],
  ['some', [{ name: 'send_email' }], MAIL_OUT, null],
  ['some', [{ name: 'send_email', args: new Unknown('unavailable', 'tool-use') }], MAIL_OUT, null],
  ['some', [{ name: 'search', args: new Unknown('unavailable', 'tool-use') }], MAIL_OUT, false],
  ['some', [{ args: { to: 'eve@evil.example' } }], MAIL_OUT, null],
  ['some', [], MAIL_OUT, false],
  ['some', null, MAIL_OUT, false],
  ['some', 'send_email', MAIL_OUT, null],
  ['flow', { events: EVENTS, current: { name: 'send_email' } }, FLOW, true],
  ['flow', { events: EVENTS, current: { name: 'search' } }, FLOW, false],
  ['flow', { events: EVENTS.slice(0, 1), current: { name: 'send_email' } }, FLOW, false],
  ['flow', { events: [], current: { name: 'send_email' } }, FLOW, false],
  ['flow', { events: EVENTS }, FLOW, null],
  ['flow', {}, FLOW, null],
  ['flow', null, FLOW, false],
];

const label = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'undefined';
const table = CASES.map(([op, fact, value, verdict]) => ({ op, fact, value, verdict, shown: label(fact) }));

describe('applyOperator', () => {
  it.each(table)('evaluates $op of $shown as $verdict', ({ op, fact, value, verdict }) => {
    expect(applyOperator(op, fact, value, CONTEXT)).toBe(verdict);
  });

  it.each(table)(
    'evaluates the opposite of $op of $shown with the opposite verdict',
    ({ op, fact, value, verdict }) => {
      expect(applyOperator(oppositeOf(op), fact, value, CONTEXT)).toBe(verdict === null ? null : !verdict);
      expect(oppositeOf(oppositeOf(op))).toBe(op);
    },
  );

  it('is tested with a true case, a false case and an absent fact for every operator', () => {
    for (const name of Object.keys(OPERATORS)) {
      const own = CASES.filter(([op]) => op === name);
      expect(own.some(([, fact]) => fact === null)).toBe(true);
      expect(own.some(([, , , verdict]) => verdict === true)).toBe(true);
      expect(own.some(([, , , verdict]) => verdict === false)).toBe(true);
    }
    expect(OPERATOR_NAMES.every((name) => operatorNamed(name) !== undefined)).toBe(true);
  });

  it('finds no operator by the name of an inherited property', () => {
    expect(operatorNamed('constructor')).toBeUndefined();
    expect(operatorNamed('toString')).toBeUndefined();
  });
});

describe('names of tools', () => {
  const NAMES: readonly (readonly [string, string, unknown, Verdict])[] = [
    ['eq', 'Run_Shell', 'run_shell', true],
    ['eq', 'ｒｕｎ_shell', 'run_shell', true],
    ['eq', 'run\u200b_shell', 'RUN_SHELL', true],
    ['eq', ' run_shell\n', 'run_shell', true],
    ['eq', 'run-shell', 'run_shell', false],
    ['in', 'RUN_SHELL', ['Run_Shell'], true],
    ['not_in', 'RUN_SHELL', ['Run_Shell'], false],
    ['starts_with', 'MCP__x__run', 'mcp__', true],
    ['contains', 'x__RUN__y', 'run', true],
    ['matches', 'get\u00adUser', '^getU', true],
  ];

  it.each(NAMES)('are compared in their normal form by %s: %j', (op, name, value, verdict) => {
    expect(applyOperator(op, name, value, CONTEXT, true)).toBe(verdict);
    const truth = verdict === true ? 'true' : 'false';
    expect(truthOf(`closed:tool:${op}`, name, value, CONTEXT)).toBe(truth);
    expect(truthOf(`closed:absent_ok:tool:${op}`, name, value, CONTEXT)).toBe(truth);
  });

  it('are normalised in lists of calls and in flows, while arguments are compared unchanged', () => {
    const calls = [{ name: 'MCP__Run', args: { to: 'A' }, index: 0 }];
    const some = (field: string, op: string, value: unknown) =>
      applyOperator('some', calls, { field, op, value }, CONTEXT);
    expect(some('name', 'eq', 'mcp__run')).toBe(true);
    expect(some('name', 'tool_is', 'run')).toBe(true);
    expect(some('args.to', 'eq', 'a')).toBe(false);
  });
});

describe('leaves', () => {
  const unknown = new Unknown('timeout', 'pii');
  const READINGS = ['closed', 'open', 'known'] as const;

  it.each(Object.entries(OPERATORS).flatMap(([op, { opposite }]) => [op, opposite]))(
    'with %s are unknown if the fact has no value, whether unknown facts match or not',
    (op) => {
      for (const reading of READINGS) {
        expect(truthOf(`${reading}:${op}`, unknown, [], CONTEXT)).toBe('unknown');
        expect(truthOf(`${reading}:absent_ok:${op}`, unknown, [], CONTEXT)).toBe('unknown');
        expect(truthOf(`${reading}:${op}`, undefined, [], CONTEXT)).toBe('unknown');
        expect(truthOf(`${reading}:${op}`, null, [], CONTEXT)).toBe('unknown');
      }
    },
  );

  it('read an absent optional fact as a definite null, and an absent count per code as 0', () => {
    const truth = (name: string, value: unknown) => truthOf(name, undefined, value, CONTEXT);
    expect(truth('closed:absent_ok:eq', 'x')).toBe('false');
    expect(truth('open:absent_ok:ne', 'x')).toBe('true');
    expect(truth('closed:absent_zero:gt', 0)).toBe('false');
    expect(truth('open:absent_zero:lt', 3)).toBe('true');
  });

  it('are undecided, not unknown, if the fact has a type that cannot be compared', () => {
    const fact: FactValue = ['a'];
    expect(truthOf('closed:eq', fact, 'a', CONTEXT)).toBe('undecided');
    expect(truthOf('closed:ne', fact, 'a', CONTEXT)).toBe('undecided');
  });
});
