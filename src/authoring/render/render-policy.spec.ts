import { compileText, head, must, oneRule, DETECTORS, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { renderPolicy } from './index.js';

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
});
