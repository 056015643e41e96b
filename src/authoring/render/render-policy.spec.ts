import { compileText, head, must, oneRule, DETECTORS, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { describeRule, renderPolicy } from './index.js';

const text = (source: string): string =>
  renderPolicy(policyOf(source))
    .map((line) => line.text)
    .join('\n');

describe('renderPolicy', () => {
  it.each([
    '{ pii.types: { any_of: [EMAIL, PHONE] } }',
    '{ not: { any: [ { pii.count: { gte: 2 } }, { model.name: { starts_with: gpt- } } ] } }',
    '{ all: [ { metadata.team: { in: ["a b", "true", "1"] } }, { not: { metadata.x: { exists: false } } } ] }',
    '{ metadata.n: { gt: -0.5 } }',
  ])('renders a condition that compiles to the same condition again: %s', (when) => {
    const first = policyOf(oneRule(when));
    const again = must(
      compileText(
        renderPolicy(first)
          .map((line) => line.text)
          .join('\n'),
      ),
    );
    expect(again.stages).toEqual(first.stages);
  });

  it('renders calls, flows, lists, exceptions and masks that compile to the same policy again', () => {
    const source = `${head('mode: enforce\n')}${DETECTORS}lists: { tools: [rm, "a: b"] }
conditions: { bad: { any: [ { tool.name: { in: $lists.tools } }, { pii.count: { gt: 1 } } ] } }
rules:
  - id: t.calls
    stage: tool
    when:
      all:
        - use: bad
        - tool_calls: { some: { all: [ { name: send }, { not: { args.to: { email_domain_in: [a.example] } } } ] } }
        - flow: { from: { tool_result: { name: fetch } }, to: { tool_call: { name: { in: $lists.tools } } } }
    then: { action: block, detail: some-thing }
    on_unknown: match
  - id: t.mask
    title: Mask "it"
    stage: pre
    severity: low
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL, IBAN], with: '[{type}]', label: personal } }
    on_unknown: match
exceptions:
  - { id: EX, rules: [t.mask], when: { app.name: hr }, because: B, approved_by: A, ticket: T, expires: 2027-01-01T00:00:00Z }
`;
    const first = policyOf(source);
    const again = must(compileText(text(source)));
    const unnamed = (stages: unknown): string => JSON.stringify(stages).replaceAll(/,?"name":"bad"/g, '');
    expect(unnamed(again.stages)).toBe(unnamed(first.stages));
    expect(again.rules).toEqual(first.rules);
    expect(again.exceptions).toEqual(first.exceptions);
    expect(text(source)).toContain('any:  # bad');
  });

  it('renders scores, codes and options of plugins, prices and stable tokens that compile to the same policy again', () => {
    const source = `${head('on_blocked_history: drop\n')}detectors:
  pii: { plugin: pii@^1, locales: [de], min_score: { EMAIL: 0.9, PASSPORT: 0.8 }, codes: { add: [PASSPORT] }, timeout_ms: 90 }
  secrets: { plugin: secrets@^1, min_score: 0.7, codes: [aws_access_key] }
  prompt_injection: { plugin: prompt-injection }
  tools: { plugin: tool-use@^1, sinks: [send, "a: b"], trusted_hosts: { "corp.example": true } }
prices: { gpt-4o: { input_usd_per_million: 2.5, output_usd_per_million: 10 } }
rules:
  - id: t.mask
    stage: pre
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL], tokens: stable, restore: true, label: personal } }
    on_unknown: match
`;
    expect(must(compileText(text(source))).canonical).toBe(policyOf(source).canonical);
    expect(text(source)).toContain('min_score: { EMAIL: 0.9, PASSPORT: 0.8 }');
    expect(text(source)).toContain('redact: { entities: [pii/EMAIL], tokens: stable, restore: true, label: personal }');
    expect(text(source)).not.toContain('with:');
    expect(describeRule(policyOf(source).rules[0]!, policyOf(source))[0]).toContain('masks EMAIL as stable tokens');
  });

  it('writes long values with one entry per line, so that a change shows only the entries that differ', () => {
    const sinks = Array.from({ length: 30 }, (_, index) => `tool_${index}`);
    const source = `${head()}detectors:\n  tools: { plugin: tool-use, sinks: [${sinks.join(', ')}] }\nrules:
  - { id: t, stage: pre, when: { model.name: x }, then: { action: flag } }\n`;
    expect(text(source)).toContain('    sinks:\n      - tool_0\n      - tool_1\n');
    expect(must(compileText(text(source))).canonical).toBe(policyOf(source).canonical);
  });
});
