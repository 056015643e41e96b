import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { PLUGINS } from '../../../plugins/index.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import { formatPolicyFile } from './format-policy.js';

function formatted(text: string): string {
  const result = formatPolicyFile('policy.yaml', text);
  if (result.kind !== 'formatted') throw new Error(`${result.kind}: ${JSON.stringify(result)}`);
  return result.text;
}

function digestOf(text: string): string {
  const { policy, problems } = compilePolicy({
    environment: 'production',
    files: [{ path: 'policy.yaml', text }],
    entry: ['policy.yaml'],
    plugins: PLUGINS,
  });
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  return policy.canonical;
}

const HEAD = `apiVersion: weir/v1
kind: Policy
metadata: { id: example, owner: security@example.com }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
`;

describe('formatPolicyFile', () => {
  it('puts keys in a fixed order, and keeps the order of rules and conditions', () => {
    const text = `kind: Policy
apiVersion: weir/v1
rules:
  - then: { reason: content_policy_violation, action: block }
    on_unknown: match
    when:
      all:
        - pii.count: { gt: 1 }
        - model.name: gpt-4o
    stage: pre
    id: b.second
  - {stage: post,   id: a.first, when: {pii.count: {gt: 0}}, then: {action: flag}}
metadata: {owner: me, id: x}
`;
    expect(formatted(text)).toBe(`apiVersion: weir/v1
kind: Policy
metadata: { id: x, owner: me }
rules:
  - id: b.second
    stage: pre
    when:
      all:
        - pii.count: { gt: 1 }
        - model.name: gpt-4o
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
  - { id: a.first, stage: post, when: { pii.count: { gt: 0 } }, then: { action: flag } }
`);
  });

  it('writes lists with one entry per line, sorted within the groups that comments separate', () => {
    const text = `apiVersion: weir/v1
kind: Policy
lists:
  models: [gpt-4o, claude, 10, 9]
  tools:
    # dangerous
    - run_shell # asks first
    - delete_database
    # harmless
    - search
    - browse
`;
    expect(formatted(text)).toBe(`apiVersion: weir/v1
kind: Policy
lists:
  models:
    - 9
    - 10
    - claude
    - gpt-4o
  tools:
    # dangerous
    - delete_database
    - run_shell # asks first
    # harmless
    - browse
    - search
`);
  });

  it('keeps comments next to the lines they describe', () => {
    const text = `# the file
apiVersion: weir/v1
kind: Policy

# what it is
metadata: { id: x } # an id
rules:
  # about the rule
  - then: { action: flag } # only tells
    # about the condition
    when:
      # inside
      pii.count: { gt: 0 }
    id: x.y
    # the end of the rule
# the end of the file
`;
    const result = formatted(text);
    for (const comment of text.match(/#.*$/gm)!) expect(result).toContain(comment);
    expect(result).toMatch(/# about the condition\n\s+when:/);
    expect(result).toMatch(/then: \{ action: flag \} # only tells/);
  });

  it('converts conditions from the form of the rules engine to that of policies', () => {
    const text = `${HEAD}rules:
  - id: x.y
    stage: pre
    when:
      all:
        - { fact: pii, path: $.types, operator: contains, value: EMAIL }
        - { fact: pii, path: types, operator: doesNotContain, value: PHONE }
        - { fact: pii, path: count, operator: greaterThanInclusive, value: 1 } # at least one
        - { fact: environment, operator: equal, value: production }
    then: { action: flag }
`;
    const result = formatted(text);
    expect(result).toContain('- pii.types: { contains: EMAIL }');
    expect(result).toContain('- not: { pii.types: { contains: PHONE } }');
    expect(result).not.toContain('operator');
    expect(result).toContain('# at least one');
    expect(digestOf(result)).toBe(digestOf(text));
  });

  it('does not change a file that cannot be parsed', () => {
    expect(formatPolicyFile('x.yaml', 'a: [').kind).toBe('unreadable');
    expect(formatPolicyFile('x.yaml', 'a: 1\na: 2').kind).toBe('unreadable');
  });

  it('removes a byte order mark, carriage returns, and white space at ends of lines', () => {
    expect(formatted('\uFEFFapiVersion: weir/v1\r\nkind: Policy   \r\n\r\n\r\n')).toBe(
      'apiVersion: weir/v1\nkind: Policy\n',
    );
  });

  it('does not change the policies of the repository', () => {
    const root = 'policies';
    const files = ['_shared', 'development', 'staging', 'production', 'tests'].flatMap((folder) =>
      readdirSync(`${root}/${folder}`)
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => `${root}/${folder}/${name}`),
    );
    for (const file of [...files, `${root}/weir.config.yaml`]) {
      const text = readFileSync(file, 'utf8');
      expect({ file, text: formatted(text) }).toEqual({ file, text });
    }
  });
});

describe('Formatting a random policy', () => {
  const space = fc.constantFrom('', ' ', '  ');
  const comment = fc.constantFrom('', '', ' # why', ' # weir-ignore G131: kept');
  const entries = fc.uniqueArray(fc.constantFrom('a', 'b', 'z', 'm', 'x-1', 'Y'), { minLength: 1, maxLength: 6 });
  const list = fc
    .tuple(entries, fc.boolean(), comment)
    .map(([items, flow, note]) =>
      flow
        ? `[${items.join(', ')}]${note}\n`
        : `\n${items.map((item, index) => `    - ${item}${index === 1 ? note : ''}\n`).join('')}`,
    );
  const leaf = fc.oneof(
    fc.constant('{ pii.count: { gt: 0 } }'),
    fc.constant('{ pii.types: { any_of: [PHONE, EMAIL] } }'),
    fc.constant('{ model.name: { in: $lists.one } }'),
    fc.constant('{ fact: pii, path: count, operator: lessThan, value: 7 }'),
    fc.constant('{ fact: pii, path: types, operator: doesNotContain, value: EMAIL }'),
    fc.constant('{ not: { model.name: gpt-4o } }'),
    fc.constant('{ not: { fact: pii, path: count, operator: equal, value: 2 } }'),
  );
  const rule = fc
    .record({
      leaves: fc.array(fc.tuple(leaf, comment), { minLength: 1, maxLength: 4 }),
      group: fc.constantFrom('all', 'any'),
      note: comment,
      keys: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      above: fc.constantFrom('', '    # above a key\n'),
    })
    .map(({ leaves, group, note, keys, above }) => (index: number) => {
      const when = `when:${note}\n      ${group}:\n${leaves.map(([text, why]) => `        - ${text}${why}\n`).join('')}`;
      const parts = [
        `stage: pre${note}\n`,
        `severity: high\n`,
        when,
        `then: { action: flag }${note}\n`,
        `on_unknown: match\n`,
      ];
      const first = `id: rule.n${index}${note}\n`;
      return `  - ${first}${keys.map((key, at) => `${at === 2 ? above : ''}    ${parts[key]!}`).join('')}`;
    });
  const policy = fc
    .record({
      one: list,
      rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
      gap: fc.constantFrom('', '\n', '\n\n\n'),
      space,
      note: comment,
    })
    .map(({ one, rules, gap, note }) => {
      const text = rules.map((make, index) => make(index)).join(gap);
      return `# first${note}\n${HEAD}${gap}lists:\n  one: ${one}${gap}rules:${note}\n${text}`;
    });

  it('keeps the digest and every comment, and is idempotent', () => {
    fc.assert(
      fc.property(policy, (text) => {
        const once = formatted(text);
        expect(digestOf(once)).toBe(digestOf(text));
        expect(formatted(once)).toBe(once);
        expect((once.match(/#.*$/gm) ?? []).sort()).toEqual((text.match(/#.*$/gm) ?? []).sort());
      }),
      { numRuns: 60 },
    );
  });
});
