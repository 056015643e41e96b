/** One file of an example, by its path in the policies folder; or only its difference from a plain policy. */
export type Example = string | Readonly<Record<string, string>>;

/** What a lint rule is about: the page of `weir lint --explain`, and of docs/reference/lint.md. */
export interface LintPage {
  readonly why: string;
  readonly avoid: Example;
  readonly prefer: Example;
}

/** What a policy needs besides the sections that an example is about. */
const HEAD = `apiVersion: weir/v1
kind: Policy
metadata: { id: example, owner: security@example.com }
environment: production
default: allow
`;

const DETECTORS = `detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
  prompt_injection: { plugin: prompt-injection@^1 }
`;

/** The whole files of an example, as the linter reads them. */
export function exampleFiles(example: Example): Readonly<Record<string, string>> {
  if (typeof example !== 'string') return example;
  if (example.startsWith('apiVersion:')) return { 'production/policy.yaml': example };
  const detectors = /^detectors:/m.test(example) ? '' : DETECTORS;
  return { 'production/policy.yaml': `${HEAD}${detectors}${example}` };
}

/** An example as people read it. */
export function exampleText(example: Example): string {
  if (typeof example === 'string') return example.trimEnd();
  return Object.entries(example)
    .map(([file, text]) => `# ${file}\n${text.trimEnd()}`)
    .join('\n\n');
}

/** A rule that blocks, for examples that are about its condition. */
export function blockRule(when: string): string {
  return `rules:
  - id: example.rule
    stage: pre
    when: ${when}
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`;
}

/** A rule that flags when a detector found something, for examples that are about what it does. */
export function ruleWith(fields: string): string {
  return `rules:
  - id: example.rule
    stage: pre
    when: { pii.types: { any_of: [EMAIL] } }
${fields.replace(/^/gm, '    ').trimEnd()}
`;
}

/** A whole file whose sections are given. */
export function wholeFile(sections: string, metadata = '{ id: example, owner: security@example.com }'): string {
  return `apiVersion: weir/v1\nkind: Policy\nmetadata: ${metadata}\n${sections}`;
}
