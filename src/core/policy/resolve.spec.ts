import { compileFiles, head, must } from './testdata/sample-policy.js';

const base = (body: string, id = 'baseline'): string =>
  `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: ${id}, owner: security@acme.example }\n${body}`;
const child = (body: string): string => head(`extends: [../_shared/baseline.yaml]\n${body}`);

const BASE = base(`mode: monitor
content: full
stages: { pre: { deadline_ms: 90 }, post: { deadline_ms: 80 } }
detectors: { pii: { plugin: pii@^1, min_score: 0.6, codes: { add: [PASSPORT] } } }
lists: { models: [a, b], kept: [x] }
conditions: { risky: { pii.score: { gte: 0.8 } } }
rules:
  - id: pii.redact
    stage: pre
    when:
      all:
        - pii.types: { any_of: [EMAIL, PHONE] }
        - use: risky
    then: { action: redact, redact: { entities: [EMAIL, PHONE] } }
    on_unknown: match
    formerly: [pii.mask]
  - { id: model.approved, stage: pre, when: { not: { model.name: { in: $lists.models } } }, then: { action: block }, on_unknown: match }
`);

function compile(body: string, more: Record<string, string> = {}) {
  return compileFiles({ '_shared/baseline.yaml': BASE, 'production/policy.yaml': child(body), ...more });
}
const override = (rule: string, set: string, more = ''): string =>
  `overrides:\n  - { rule: ${rule}, because: it is needed, ${more} set: ${set} }\n`;
const codes = (result: { problems: readonly { code: string; level: string }[] }) =>
  result.problems.filter(({ level }) => level === 'error').map(({ code }) => code);

describe('extends', () => {
  it('inherits everything, and the extending file wins field by field', () => {
    const policy = must(
      compile(
        'mode: enforce\nstages: { pre: { deadline_ms: 70 } }\ndetectors: { pii: { locales: [de], codes: { remove: [IBAN] } } }\n',
      ),
    );
    expect(policy).toMatchObject({
      id: 'sample',
      monitor: false,
      content: 'full',
      deadlineMs: { pre: 70, post: 80, tool: 150 },
    });
    expect(policy.rules.map(({ id, policy: owner }) => [id, owner])).toEqual([
      ['model.approved', 'baseline'],
      ['pii.redact', 'baseline'],
    ]);
    const [pii] = policy.detectors;
    expect(pii).toMatchObject({
      options: { locales: ['de'] },
      codes: ['EMAIL', 'PASSPORT', 'PHONE', 'TOKEN', 'US_SSN'],
    });
    expect(pii!.minScore['EMAIL']).toBe(0.6);
  });

  it('changes lists by add and remove, or replaces them', () => {
    expect(must(compile('lists: { models: { add: [c], remove: [a] } }\n')).lists).toEqual({
      models: ['b', 'c'],
      kept: ['x'],
    });
    expect(must(compile('lists: { models: [z] }\n')).lists['models']).toEqual(['z']);
    expect(codes(compile('lists: { models: { remove: [zz] } }\n'))).toEqual(['G021']);
    expect(codes(compile('lists: { fresh: { add: [zz] } }\n'))).toEqual(['G021']);
  });

  it('finds files relative to the file that names them, and refuses any other path', () => {
    for (const path of [
      '../_shared/none.yaml',
      '/etc/passwd',
      'https://evil.example/x.yaml',
      'C:\\x.yaml',
      'baseline.yaml',
    ]) {
      expect(
        codes(
          compileFiles({ '_shared/baseline.yaml': BASE, 'production/policy.yaml': head(`extends: ['${path}']\n`) }),
        ),
      ).toEqual(['G012']);
    }
    expect(compile('').problems).toEqual([]);
  });

  it('refuses a cycle of files and names its files', () => {
    const result = compileFiles({
      '_shared/a.yaml': base('extends: [b.yaml]\n', 'a'),
      '_shared/b.yaml': base('extends: [./a.yaml]\n', 'b'),
      'production/policy.yaml': head('extends: [../_shared/a.yaml]\n'),
    });
    expect(result.problems).toMatchObject([
      {
        code: 'G013',
        file: 'policies/_shared/b.yaml',
        message:
          'files extend each other in a circle: policies/_shared/a.yaml -> policies/_shared/b.yaml -> policies/_shared/a.yaml',
      },
    ]);
  });

  it('reads a file once although two extend it', () => {
    const result = compileFiles({
      '_shared/baseline.yaml': BASE,
      '_shared/one.yaml': base('extends: [baseline.yaml]\n', 'one'),
      '_shared/two.yaml': base('extends: [baseline.yaml]\n', 'two'),
      'production/policy.yaml': head('extends: [../_shared/one.yaml, ../_shared/two.yaml]\n'),
    });
    expect(must(result).rules).toHaveLength(2);
  });

  it('refuses an id, a condition, a list or a detector that two files define, and a setting that they define differently', () => {
    const twice = (one: string, two: string) =>
      codes(compileFiles({ 'production/a.yaml': head(one), 'production/b.yaml': base(two, 'other') }));
    const rule = 'rules:\n  - { id: r, stage: pre, when: { model.name: x }, then: { action: flag } }\n';
    expect(twice(rule, rule)).toEqual(['G002']);
    expect(twice('content: full\n', 'content: none\n')).toEqual(['G002']);
    expect(twice('content: full\n', 'content: full\n')).toEqual([]);
    expect(twice('lists: { a: [x] }\n', 'lists: { a: [x] }\n')).toEqual(['G002']);
    expect(twice('detectors: { pii: { plugin: pii } }\n', 'detectors: { pii: { plugin: pii } }\n')).toEqual(['G002']);
    expect(codes(compile('conditions: { risky: { pii.score: { gte: 0.9 } } }\n'))).toEqual(['G002']);
    expect(codes(compileFiles({ 'production/a.yaml': head(), 'production/b.yaml': base('', 'sample') }))).toEqual([
      'G002',
    ]);
  });

  it('requires default and environment in a file of the environment itself', () => {
    const result = compileFiles({
      '_shared/baseline.yaml': `${BASE}default: allow\n`,
      'production/policy.yaml': child('').replace('default: allow\n', ''),
    });
    expect(codes(result)).toEqual(['G006']);
  });

  it('refuses files that name different environments', () => {
    expect(
      codes(compileFiles({ 'production/a.yaml': head(), 'production/b.yaml': base('environment: staging\n', 'b') })),
    ).toEqual(['G005']);
  });

  it('uses the given entry files, and by default all files outside folders with a leading underscore', () => {
    expect(must(compileFiles({ '_shared/x.yaml': base('colour: red\n'), 'production/policy.yaml': head() })).id).toBe(
      'sample',
    );
  });
});

describe('overrides', () => {
  it('set fields by path, even through keys that contain dots, and change lists', () => {
    const policy = must(
      compile(
        override(
          'pii.redact',
          '{ severity: high, then.redact.entities: { add: [IBAN] }, then.redact.label: contains_pii, when.all.0.pii.types: { any_of: [EMAIL, PHONE, IBAN] } }',
        ),
      ),
    );
    const rule = policy.rules.find(({ id }) => id === 'pii.redact');
    expect(rule).toMatchObject({ severity: 'high', redact: { label: 'contains_pii' } });
    expect(rule!.redact!.targets.map(({ code }) => code)).toEqual(['EMAIL', 'PHONE', 'IBAN']);
    expect(JSON.stringify(policy.stages.pre.asWritten)).toContain('["EMAIL","PHONE","IBAN"]');
  });

  it('find a rule by its former id', () => {
    const policy = must(compile(override('pii.mask', '{ severity: low }')));
    expect(policy.rules.find(({ id }) => id === 'pii.redact')!.severity).toBe('low');
  });

  it('apply along a chain of files, the extending file last', () => {
    const result = compileFiles({
      '_shared/baseline.yaml': BASE,
      '_shared/middle.yaml': base(`extends: [baseline.yaml]\n${override('pii.redact', '{ severity: low }')}`, 'middle'),
      'production/policy.yaml': head(
        `extends: [../_shared/middle.yaml]\n${override('pii.redact', '{ severity: critical }')}`,
      ),
    });
    expect(must(result).rules.find(({ id }) => id === 'pii.redact')!.severity).toBe('critical');
  });

  it.each([
    ['a rule that does not exist', 'pii.redakt', '{ severity: low }', ['G020']],
    ['a field that does not exist', 'pii.redact', '{ severty: low }', ['G021']],
    ['a nested field that does not exist', 'pii.redact', '{ then.redact.lable: x }', ['G021']],
    ['a condition that does not exist', 'pii.redact', '{ when.all.2: { model.name: x } }', ['G021']],
    ['a fact that the condition does not read', 'pii.redact', '{ when.all.0.pii.count: { gt: 1 } }', ['G021']],
    ['a path through a value', 'pii.redact', '{ stage.x: pre }', ['G021']],
    ['the id', 'pii.redact', '{ id: other }', ['G021']],
    [
      'removing an entity that the list does not contain',
      'pii.redact',
      '{ then.redact.entities: { remove: [IBAN] } }',
      ['G021'],
    ],
    [
      'a list changed with other words than add and remove',
      'pii.redact',
      '{ then.redact.entities: { plus: [IBAN] } }',
      ['G021'],
    ],
    [
      'fields that overlap',
      'pii.redact',
      '{ then: { action: block }, then.reason: content_policy_violation }',
      ['G022'],
    ],
    ['a value of a wrong form', 'pii.redact', '{ severity: huge }', ['G007']],
    ['nothing', 'pii.redact', '{}', ['G007']],
  ])('refuse %s', (_what, rule, set, expected) => {
    expect(codes(compile(override(rule, set, 'weakens: true,')))).toEqual(expected);
  });

  it('are reported as the position of the problem, instead of the rule, if the new value is invalid', () => {
    const [problem] = compile(override('pii.redact', '{ severity: huge }')).problems;
    expect(problem).toMatchObject({ file: 'policies/production/policy.yaml' });
  });

  it('are refused if two unrelated files set the same field', () => {
    const result = compile(override('pii.redact', '{ severity: low }'), {
      'production/more.yaml': base(override('pii.redact', '{ severity: high }'), 'more'),
    });
    expect(codes(result)).toEqual(['G022']);
  });

  it.each([
    ['{ then.action: flag }', 'model.approved'],
    ['{ on_unknown: no_match }', 'model.approved'],
    ['{ then.redact.entities: { remove: [PHONE] } }', 'pii.redact'],
    ['{ mode: monitor, review_by: 2027-01-01 }', 'pii.redact'],
  ])('must state that they weaken a rule: %s', (set, rule) => {
    expect(codes(compile(`mode: enforce\n${override(rule, set)}`))).toContain('G305');
    expect(codes(compile(`mode: enforce\n${override(rule, set, 'weakens: true,')}`))).toEqual([]);
  });
});
