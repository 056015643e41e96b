/**
 * The files of an example by their paths in the policies folder; a string is one policy, or only the sections that it adds to a minimal
 * policy.
 */
export type Example = string | Readonly<Record<string, string>>;

/** The page of a lint rule, for `weir lint --explain` and docs/reference/lint.md. */
export interface LintPage {
  readonly why: string;
  readonly avoid: Example;
  readonly prefer: Example;
}

/** The required fields of a policy, which examples omit. */
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

/** The complete files of an example, as the linter reads them. */
export function exampleFiles(example: Example): Readonly<Record<string, string>> {
  if (typeof example !== 'string') return example;
  if (example.startsWith('apiVersion:')) return { 'production/policy.yaml': example };
  const detectors = /^detectors:/m.test(example) ? '' : DETECTORS;
  return { 'production/policy.yaml': `${HEAD}${detectors}${example}` };
}

/** An example as text for readers. */
export function exampleText(example: Example): string {
  if (typeof example === 'string') return example.trimEnd();
  return Object.entries(example)
    .map(([file, text]) => `# ${file}\n${text.trimEnd()}`)
    .join('\n\n');
}

/** A rule that blocks, for examples of conditions. */
export function blockRule(when: string): string {
  return `rules:
  - id: example.rule
    stage: pre
    when: ${when}
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`;
}

/** A rule that matches findings of a detector, for examples of its other fields. */
export function ruleWith(fields: string): string {
  return `rules:
  - id: example.rule
    stage: pre
    when: { pii.types: { any_of: [EMAIL] } }
${fields.replace(/^/gm, '    ').trimEnd()}
`;
}

/** A complete policy file with the given sections. */
export function wholeFile(sections: string, metadata = '{ id: example, owner: security@example.com }'): string {
  return `apiVersion: weir/v1\nkind: Policy\nmetadata: ${metadata}\n${sections}`;
}
