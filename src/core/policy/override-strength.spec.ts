import { compileFiles, head, must } from './testdata/sample-policy.js';

const CREDENTIALS = '[aws_access_key, github_pat]';
const BASE = `apiVersion: weir/v1
kind: Policy
metadata: { id: baseline, owner: security@acme.example }
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
  prompt_injection: { plugin: prompt-injection }
defaults: { on_unknown: match }
lists: { live_credentials: ${CREDENTIALS}, first: [aws_access_key], models: [a, b], more_models: [a, b, c] }
conditions: { risky: { prompt_injection.score: { gte: 0.8 } } }
rules:
  - id: secrets.mask
    stage: pre
    when: { all: [{ secrets.types: { any_of: $lists.live_credentials } }] }
    then: { action: redact, redact: { entities: $lists.live_credentials } }
  - id: injection.block
    stage: pre
    when: { all: [{ prompt_injection.score: { gte: 0.7 } }, { not: { model.name: { in: $lists.models } } }] }
    then: { action: block }
  - id: tool.block
    stage: tool
    when: { all: [{ tool_calls: { some: { all: [{ name: { in: [run, send] } }, { not: { args.to: a } }] } } }] }
    then: { action: block }
    rollout: { percent: 50, by: api_key }
  - { id: model.good, stage: pre, when: { all: [{ model.name: { in: $lists.models } }] }, then: { action: allow } }
`;

/** The G305 message of an override of one rule; undefined if it is accepted. */
function complaint(rule: string, set: string, { weakens = '', settings = '' } = {}): string | undefined {
  const override = `overrides:\n  - { rule: ${rule}, because: it is needed, ${weakens} set: ${set} }\n`;
  const policy = head(`extends: [../_shared/baseline.yaml]\n${settings}${override}`);
  const result = compileFiles({
    '_shared/baseline.yaml': BASE,
    'production/policy.yaml': settings === '' ? policy : policy.replace('default: allow\n', ''),
  });
  const found = result.problems.find(({ code }) => code === 'G305')?.message;
  if (found === undefined) must(result);
  return found;
}

describe('An override must state that it weakens a rule if it', () => {
  it.each([
    [
      'enforces the rule for no key',
      'injection.block',
      '{ rollout: { percent: 0, by: api_key } }',
      'a smaller rollout',
    ],
    ['enforces it for fewer keys', 'tool.block', '{ rollout.percent: 49.9 }', 'a smaller rollout'],
    ['judges another stage', 'injection.block', '{ stage: post }', 'another stage'],
    [
      'masks fewer entities than the list',
      'secrets.mask',
      '{ then.redact.entities: [aws_access_key] }',
      'fewer entities',
    ],
    ['masks a shorter list', 'secrets.mask', '{ then.redact.entities: $lists.first }', 'fewer entities'],
    ['masks with stable tokens', 'secrets.mask', '{ then.redact.tokens: stable }', 'stable tokens'],
    [
      'restores masked values in the answer',
      'secrets.mask',
      '{ then.redact.tokens: stable, then.redact.restore: true }',
      'stable tokens, restored values',
    ],
    ['replaces the default for unknown facts', 'injection.block', '{ on_unknown: no_match }', 'on_unknown: no_match'],
    ['raises a threshold', 'injection.block', '{ when.all.0.prompt_injection.score: { gte: 1 } }', 'match fewer calls'],
    ['excludes equality', 'injection.block', '{ when.all.0.prompt_injection.score: { gt: 0.7 } }', 'match fewer calls'],
    [
      'excludes more values',
      'injection.block',
      '{ when.all.1.not.model.name: { in: $lists.more_models } }',
      'fewer calls',
    ],
    ['uses a stricter condition', 'injection.block', '{ when.all.0: { use: risky } }', 'match fewer calls'],
    ['reads another fact', 'secrets.mask', '{ when: { secrets.count: { gt: 0 } } }', 'match fewer calls'],
    [
      'asks for fewer tools',
      'tool.block',
      '{ when.all.0.tool_calls.some.all.0.name: { in: [run] } }',
      'match fewer calls',
    ],
    [
      'adds a condition for the same tool call',
      'tool.block',
      '{ when: { tool_calls: { some: { all: [{ name: { in: [run, send] } }, { not: { args.to: a } }, { args.x: b }] } } } }',
      'match fewer calls',
    ],
  ])('%s', (_what, rule, set, way) => {
    expect(complaint(rule, set)).toContain(way);
    expect(complaint(rule, set, { weakens: 'weakens: true,' })).toBeUndefined();
  });

  it('lets an allow rule apply to more calls while the policy blocks by default', () => {
    const wider = '{ when.all.0.model.name: { in: $lists.more_models } }';
    const settings = 'default: block\n';
    expect(complaint('model.good', wider, { settings })).toContain('a condition that may match more calls');
    expect(complaint('model.good', '{ when.all.0.model.name: { eq: a } }', { settings })).toBeUndefined();
    expect(complaint('model.good', wider)).toBeUndefined();
  });
});

describe('An override does not weaken a rule if it', () => {
  it.each([
    ['lowers a threshold', 'injection.block', '{ when.all.0.prompt_injection.score: { gte: 0.5 } }'],
    [
      'writes a condition in another form',
      'injection.block',
      '{ when.all.0: { fact: prompt_injection, path: score, operator: greaterThanInclusive, value: 0.7 } }',
    ],
    ['excludes fewer values', 'injection.block', '{ when.all.1.not.model.name: { eq: a } }'],
    ['omits a condition', 'injection.block', '{ when: { prompt_injection.score: { gte: 0.7 } } }'],
    [
      'adds an alternative',
      'secrets.mask',
      '{ when: { any: [{ secrets.types: { any_of: $lists.live_credentials } }, { use: risky }] } }',
    ],
    [
      'writes the list out',
      'secrets.mask',
      `{ then.redact.entities: ${CREDENTIALS}, when.all.0.secrets.types: { any_of: ${CREDENTIALS} } }`,
    ],
    [
      'names the detector of an entity',
      'secrets.mask',
      '{ then.redact.entities: [secrets/aws_access_key, github_pat, EMAIL] }',
    ],
    ['blocks instead of masking', 'secrets.mask', '{ then: { action: block } }'],
    ['asks for more tools', 'tool.block', '{ when.all.0.tool_calls.some.all.0.name: { in: [run, send, post] } }'],
    ['omits the rollout', 'tool.block', '{ rollout.percent: 100, severity: low, on_unknown: match }'],
  ])('%s', (_what, rule, set) => {
    expect(complaint(rule, set)).toBeUndefined();
  });
});
