import { PLUGINS } from '../../plugins/index.js';
import { bindDetectors, compilePolicy, runScan } from '../../src/core/index.js';

const compile = (...detectors: readonly string[]) =>
  compilePolicy({
    environment: 'production',
    files: [
      {
        path: 'production/policy.yaml',
        text: [
          'apiVersion: weir/v1',
          'kind: Policy',
          'metadata: { id: test }',
          'environment: production',
          'default: allow',
          'detectors:',
          ...detectors.map((line) => `  ${line}`),
          'rules:',
          '  - id: own.block',
          '    title: What we look for ourselves',
          '    stage: pre',
          '    severity: high',
          '    when: { all: [{ mine.types: { any_of: [PROJECT] } }] }',
          '    then: { action: block, reason: content_policy_violation }',
          '    on_unknown: match',
        ].join('\n'),
      },
    ],
    plugins: PLUGINS,
  });

const scan = async (detectors: string, text: string) => {
  const { policy, problems } = compile(detectors);
  expect(problems.filter(({ level }) => level === 'error')).toEqual([]);
  const outcomes = await runScan(bindDetectors(policy!, PLUGINS), [{ path: 'prompt', role: 'user', text, ref: 0 }], {
    nowMs: () => 0,
    deadlineMs: 1_000,
  });
  return outcomes.flatMap((outcome) =>
    outcome.status === 'scanned'
      ? outcome.findings.map(({ code, start, end }) => `${code} ${text.slice(start, end)}`)
      : ['failed'],
  );
};

describe('Detectors whose codes a policy defines', () => {
  it('find keywords under the code of their list, which rules can name', async () => {
    expect(
      await scan('mine: { plugin: keywords@^1, lists: { PROJECT: [Kestrel], RIVAL: [ACME] } }', 'Kestrel or Acme'),
    ).toEqual(['PROJECT Kestrel', 'RIVAL Acme']);
  });

  it('find keywords only in the lists that `codes` selects', async () => {
    const detectors = 'mine: { plugin: keywords@^1, lists: { PROJECT: [Kestrel], RIVAL: [ACME] }, codes: [PROJECT] }';
    expect(await scan(detectors, 'Kestrel or Acme')).toEqual(['PROJECT Kestrel']);
  });

  it('find regex patterns under their code, which rules can name', async () => {
    expect(await scan("mine: { plugin: regex@^1, patterns: { PROJECT: 'PRJ-\\d{4}' } }", 'PRJ-0001')).toEqual([
      'PROJECT PRJ-0001',
    ]);
  });

  it.each([
    [
      ['mine:', '  plugin: regex@^1', '  patterns:', "    PROJECT: '[a'"],
      { line: 10, message: 'the pattern cannot be read: missing closing ] at "[a"' },
    ],
    [
      ['mine:', '  plugin: regex@^1', '  patterns:', '    PROJECT:', "      - 'a(?=b)'"],
      { line: 11, message: 'look-ahead and look-behind do not exist in the RE2 syntax' },
    ],
    [
      ['mine:', '  plugin: keywords@^1', '  lists:', '    PROJECT:', '      - fine', '      - " padded "'],
      { line: 12, message: 'a keyword must not be empty or begin or end with a space' },
    ],
    [['mine: { plugin: keywords@^1, lists: { OTHER: [x] } }'], { line: 13, message: '"PROJECT"' }],
    [
      ['mine: { plugin: keywords@^1, lists: { PROJECT: [x] }, min_score: { OTHER: 1 } }'],
      { line: 7, message: 'no code "OTHER"' },
    ],
  ])('report a mistake as an error of the policy at its line: %j', (detectors, expected) => {
    const { policy, problems } = compile(...detectors);
    expect(policy).toBeUndefined();
    const found = problems.find(({ message }) => message.includes(expected.message));
    expect(found).toMatchObject({ level: 'error', file: 'production/policy.yaml', line: expected.line });
  });
});
