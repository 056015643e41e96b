import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, lastLine, policy, project, put, weir } from '../../../test/support/policy-project.js';

const GOLDEN = join(import.meta.dirname, 'testdata', 'mistakes.txt');
const POLICY = 'policies/production/policy.yaml';
const FIELDS = { title: 'A rule', stage: 'pre', when: '{ pii.count: { gt: 0 } }', on_unknown: 'match' };
const BLOCK = '{ action: block, reason: content_policy_violation }';
const EXPECT = 'expect: { action: allow, rules: [] }';

/** The text of a rule, with the given fields replaced. */
function rule(parts: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...FIELDS, then: BLOCK, ...parts }).map(([key, value]) => `    ${key}: ${value}`);
  return `  - id: own.rule\n${lines.join('\n')}\n`;
}

const withRule = (parts: Readonly<Record<string, string>>) => (): void => project(policy(undefined, rule(parts)));
const withText = (text: string) => (): void => project(policy(undefined, text));
const instead = (from: string, to: string) => (): void => project(policy().replace(from, to));
const withTest = (text: string) => (): void => {
  project(policy());
  put(
    'policies/tests/a.test.yaml',
    `apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests:\n${text}\n`,
  );
};
const exception = (parts: string): string =>
  `exceptions:\n  - { id: EX-1, because: The contract allows it, approved_by: dpo@example.com, ticket: SEC-1, ${parts} }\n`;

/** Typical mistakes of new users; each function writes a project with one of them. */
const MISTAKES: Readonly<Record<string, () => void>> = {
  'a fact that is not there': withRule({ when: '{ pii.cuont: { gt: 0 } }' }),
  'an operator that is not there': withRule({ when: '{ pii.count: { greater: 0 } }' }),
  'an abbreviated environment': instead('environment: production', 'environment: prod'),
  'an environment misspelt': instead('environment: production', 'environment: prodution'),
  'a field that is not there': withRule({ severty: 'high' }),
  'an indentation that is too deep': withText('  - id: own.rule\n     stage: pre\n'),
  'a tab': withText('\tlists: {}\n'),
  'an id that is in use': withText('  - { id: a.pre, stage: pre, when: { pii.count: 1 }, then: { action: flag } }\n'),
  'a condition that can never hold': withRule({
    when: '{ all: [ { pii.count: { gt: 5 } }, { pii.count: { lt: 2 } } ] }',
  }),
  'a value of the wrong type': withRule({ when: '{ pii.count: { gt: many } }' }),
  'an option that is not there': instead('{ plugin: pii@^1 }', '{ plugin: pii@^1, contries: [DE] }'),
  'an option of the wrong type': instead('{ plugin: pii@^1 }', '{ plugin: pii@^1, regions: 7 }'),
  'a plugin that is not there': instead('pii@^1', 'ppi@^1'),
  'a version that is not there': instead('pii@^1', 'pii@^9'),
  'a plugin without a version': instead('pii@^1', 'pii'),
  'an action that is not there': withRule({ then: '{ action: deny }' }),
  'a block without on_unknown': withRule({ on_unknown: '' }),
  'an on_unknown that is not there': withRule({ on_unknown: 'fail' }),
  'a severity that is not there': withRule({ severity: 'hgih' }),
  'a stage that is not there': withRule({ stage: 'before' }),
  'a fact of another stage': withRule({ when: '{ tool.name: rm }' }),
  'a rule without a condition': withRule({ when: '' }),
  'an id with invalid letters': withText(
    '  - { id: Ärger, stage: pre, when: { pii.count: 1 }, then: { action: flag } }\n',
  ),
  'a letter of another script': withRule({ when: '{ pii.cоunt: { gt: 0 } }' }),
  'a key with a letter of another script': withRule({ sеverity: 'high' }),
  'an anchor and its alias': withText(
    '  - &b { id: b.a, stage: pre, when: { pii.count: 1 }, then: { action: flag } }\n  - *b\n',
  ),
  'a merge key': withText('  - { <<: { stage: pre }, id: b.a, when: { pii.count: 1 }, then: { action: flag } }\n'),
  'a tag': withRule({ title: '!!str A' }),
  'two documents': withText('---\nkind: Policy\n'),
  'a key that is written twice': withRule({ 'title ': 'B' }),
  'a list that is not there': withRule({ when: '{ tool.name: { in: $lists.tools } }', stage: 'tool' }),
  'a list that is empty': withText('lists: { tools: [] }\n'),
  'a condition that is not there': withRule({ when: '{ use: office }' }),
  'a look-ahead': instead('secrets@^1 }', 'secrets@^1 }\n  own: { plugin: regex@^1, patterns: { OWN: "a(?=b)" } }'),
  'a pattern that is not closed': instead(
    'secrets@^1 }',
    'secrets@^1 }\n  own: { plugin: regex@^1, patterns: { OWN: "a(b" } }',
  ),
  'a code that the detector does not have': withRule({ when: '{ pii.types: { any_of: [EMIAL] } }' }),
  'an entity that no detector finds': withRule({ then: '{ action: redact, redact: { entities: [EMIAL] } }' }),
  'an exception without an end': withText(exception('rules: [a.pre]')),
  'an exception that is too long': withText(exception('rules: [a.pre], expires: 2031-01-01T00:00:00Z')),
  'an exception that ends on a day': withText(exception('rules: [a.pre], expires: 2026-12-01')),
  'an exception for a rule that is not there': withText(exception('rules: [a.per], expires: 2026-12-01T00:00:00Z')),
  'a file that is not there': instead('default: allow', 'default: allow\nextends: [../_shared/orgs.yaml]'),
  'a broken link': () => {
    instead('default: allow', 'default: allow\nextends: [../_shared/org.yaml]')();
    put('policies/_shared/other.yaml', '');
    symlinkSync('gone.yaml', join(folder, 'policies/_shared/org.yaml'));
  },
  'a baseline that is not there': instead('default: allow', 'default: allow\nextends: [weir:baselin@1]'),
  'a file that extends itself': instead('default: allow', 'default: allow\nextends: [policy.yaml]'),
  'a file in UTF-16': () => {
    project(policy());
    writeFileSync(join(folder, POLICY), Buffer.from(`\ufeff${policy()}`, 'utf16le'));
  },
  'a condition on the text itself': withRule({ when: '{ text: { contains: unicorn } }' }),
  'a shared file that has only rules': () => {
    instead('default: allow', 'default: allow\nextends: [../_shared/own.yaml]')();
    put('policies/_shared/own.yaml', 'rules: []\n');
  },
  'a NUL character in a file': instead('default: allow', 'default: allow # \0'),
  'a file in Latin-1': () => {
    project(policy());
    writeFileSync(join(folder, POLICY), Buffer.from(`${policy()}# für alle\n`, 'latin1'));
  },
  'a colon of another script': instead('default: allow', 'default： allow'),
  'a no-break space after a colon': instead('default: allow', 'default:\u00a0allow'),
  'no space after a colon': instead('default: allow', 'default:allow'),
  'a quotation mark that is not closed': instead('default: allow', 'default: "allow'),
  'a limit without its unit': withText('budgets:\n  - { id: b, scope: [app], window: { per: day }, limit: 5 }\n'),
  'a text instead of a window': withText('budgets:\n  - { id: b, scope: [app], window: day, limit: { usd: 5 } }\n'),
  'an amount with its sign': withText(
    'budgets:\n  - { id: b, scope: [app], window: { per: day }, limit: { usd: $5 } }\n',
  ),
  'a share in per cent': withText(
    'budgets:\n  - { id: b, scope: [app], window: { per: day }, limit: { usd: 5 }, warn_at: [80] }\n',
  ),
  'an action instead of a map': withRule({ then: 'block' }),
  'a condition as a formula': withRule({ when: 'pii.count > 0' }),
  'two conditions in one': withRule({ when: '{ pii.count: 1, model.name: gpt-4o }' }),
  'a group that is a map': withRule({ when: '{ all: { pii.count: 1 } }' }),
  'a text instead of a list': withRule({ when: '{ pii.types: { any_of: EMAIL } }' }),
  'an hour without a zone': withRule({ when: '{ clock.hour: { gte: 18 } }' }),
  'a clock fact with an unknown zone': withRule({ when: '{ clock.hour.Europe/Berln: { gte: 18 } }' }),
  'a retention time without its unit': withText('retention: { content: 30 }\n'),
  'texts that are kept for longer than their records': withText('retention: { content: 90d, records: 30d }\n'),
  'a number instead of a price': withText('prices: { gpt-4o: 5 }\n'),
  'a price by a short name': withText('prices: { gpt-4o: { input: 5 } }\n'),
  'a default that other products use': instead('default: allow', 'default: deny'),
  'a policy without a default': instead('default: allow\n', ''),
  'a format version of a later release': instead('weir/v1', 'weir/v2'),
  'typographic quotation marks': instead('security@example.com', '“security”: x'),
  'a code with a dash': instead('secrets@^1 }', 'secrets@^1 }\n  own: { plugin: regex@^1, patterns: { own-id: ab } }'),
  'a group that the pattern does not have': instead(
    'secrets@^1 }',
    'secrets@^1 }\n  own: { plugin: regex@^1, patterns: { OWN: { pattern: "a(b)", group: 2 } } }',
  ),
  'an override of a field that is not there': withText(
    'overrides:\n  - { rule: a.pre, because: z, set: { then.actoin: allow } }\n',
  ),
  'an empty file': () => project(''),
  'a file of another kind': instead('kind: Policy', 'kind: Polcy'),
  'a budget in a unit that is not there': withText(
    'budgets:\n  - { id: b, scope: [app], window: { per: day }, limit: { eur: 5 } }\n',
  ),
  'a zone that is not there': withText(
    'budgets:\n  - { id: b, scope: [app], window: { per: day, timezone: Europe/Berln }, limit: { usd: 5 } }\n',
  ),
  'a scope that is not there': withText(
    'budgets:\n  - { id: b, scope: [team], window: { per: day }, limit: { usd: 5 } }\n',
  ),
  'an unknown key of a test': withTest(`  - { id: t, txt: hi, ${EXPECT} }`),
  'an unknown rule in a test': withTest('  - { id: t, text: hi, expect: { action: flag, rules: [a.per] } }'),
  'an unknown fact in a test': withTest(`  - { id: t, text: hi, facts: { injektion: { score: 1 } }, ${EXPECT} }`),
  'an annotation in quotes': withTest(`  - { id: t, text: 'x {{"EMAIL":a@b.org}}', ${EXPECT} }`),
  'an annotation misspelt': withTest(`  - { id: t, text: 'x {{EMIAL:a@b.org}}', ${EXPECT} }`),
  'an annotation that does not end': withTest(`  - { id: t, text: 'x {{EMAIL:a@b.org', ${EXPECT} }`),
  'a map in the table of a test': withTest(
    `  - { id: t, text: $a, table: { columns: [a], rows: [[{ b: c }]] }, ${EXPECT} }`,
  ),
  'a row with too many cells': withTest(`  - { id: t, text: $a, table: { columns: [a], rows: [[x, y]] }, ${EXPECT} }`),
  'a list instead of a table': withTest(`  - { id: t, text: $a, table: [[a], [x]], ${EXPECT} }`),
  'an expectation without rules': withTest('  - { id: t, text: hi, expect: { action: allow } }'),
  'a test without an expectation': withTest('  - { id: t, text: hi }'),
  'a number instead of a text in a test': withTest(`  - { id: t, text: 7, ${EXPECT} }`),
};

/** Runs `weir lint`; returns its errors, each with place and hint, and its last line. */
async function said(): Promise<string[]> {
  const { stdout, stderr } = await weir(['lint', '--now', '2026-11-21T09:00:00Z']);
  const complaints = `${stdout}\n${stderr}`.split(/\n(?=(?:error|warning)\[)/).filter((one) => /^\n?error\[/.test(one));
  const lines = complaints.map((one) => {
    const [, code, message] = /error\[(\w+)\]: (.*)/.exec(one)!;
    const [, file, line, column] = /--> (?:policies\/)?(.*):(\d+):(\d+)/.exec(one)!;
    const hint = /^ *\|? *\^+ (.+)$/m.exec(one)?.[1] ?? /^ {6}= (?!docs:|fix:)(.+)$/m.exec(one)?.[1];
    // The hint lists the built-in policies. It is truncated after the baseline, so that a new policy does not change the golden file.
    return `  ${code!} ${file!}:${line!}:${column!} ${message!}${hint === undefined ? '' : ` = ${hint.replace(/(weir:baseline@1).*/, '$1')}`}`;
  });
  return [...lines, `  ${lastLine(stderr)}`];
}

describe('The messages for a typical mistake', () => {
  const golden = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n\n');

  it.each(Object.entries(MISTAKES))('are those in the golden file: %s', async (name, make) => {
    make();
    const text = [name, ...(await said())].join('\n').trimEnd();
    expect(golden.map((one) => one.trimEnd())).toContain(text);
  });

  it('contain no terms of the parsing libraries', () => {
    expect(golden.join('\n')).not.toMatch(
      /Invalid (?:input|option)|received|expected string|collection|compact mapping/,
    );
    expect(golden.length).toBe(Object.keys(MISTAKES).length);
  });
});
