import { blockRule, ruleWith, wholeFile, type LintPage } from './page.js';

const RULE = blockRule('{ pii.types: { any_of: [EMAIL] } }');
const PRODUCTION = 'environment: production\ndefault: allow\n';
const DETECTOR = 'detectors:\n  pii: { plugin: pii@^1 }\n';
const OVERRIDDEN = `environment: production
default: allow
extends: [../_shared/baseline.yaml]
`;
const BASELINE = wholeFile(`${DETECTOR}${RULE}`, '{ id: baseline, owner: security@example.com }');

/** G0xx: files, their format, and how they are combined. */
export const FILE_PAGES: Readonly<Record<string, LintPage>> = {
  G001: {
    why: 'A stage without a rule lets everything through. A missing or misplaced file has the same effect, so the intention must be explicit: write a rule, or an ignore comment with the reason at `default`.',
    avoid: RULE,
    prefer: wholeFile(`environment: production
# weir-ignore G001: answers and tool calls are judged by the service behind us
default: allow
${DETECTOR}${RULE}`),
  },
  G002: {
    why: 'Exceptions, tests, decisions and metrics refer to a rule by its id. Two rules with the same id, or two files with different values of a setting, would be ambiguous. The ids `default`, `unread` and `media` are reserved for the settings with these names.',
    avoid: `${RULE}${RULE.split('\n').slice(1).join('\n')}`,
    prefer: `${RULE}${RULE.split('\n').slice(1).join('\n').replace('example.rule', 'example.other').replace('EMAIL', 'PHONE')}`,
  },
  G003: {
    why: 'A rule with an ignored key does not have the effect that its text suggests: in another tool, a misspelt key made a rule match every call. Unknown keys are always errors.',
    avoid: ruleWith('then: { action: flag }\nseverety: high'),
    prefer: ruleWith('then: { action: flag }\nseverity: high'),
  },
  G004: {
    why: 'An anchor, alias, merge key or tag lets one line change the meaning of a distant line. A reviewer cannot see this in a diff. Share values by name instead, with `lists` and `conditions`.',
    avoid: `lists:
  approved: &approved [gpt-4o]
  cheap: *approved
`,
    prefer: `lists:
  approved: [gpt-4o]
  cheap: [gpt-4o]
`,
  },
  G005: {
    why: 'The folder decides which calls a policy judges. A file that names another environment was copied or moved by mistake.',
    avoid: { 'production/policy.yaml': wholeFile(`environment: staging\ndefault: allow\n${DETECTOR}${RULE}`) },
    prefer: { 'production/policy.yaml': wholeFile(`${PRODUCTION}${DETECTOR}${RULE}`) },
  },
  G006: {
    why: 'A required key has no safe default. A policy, for instance, has to define the decision when no rule matches.',
    avoid: wholeFile(`environment: production\n${DETECTOR}${RULE}`),
    prefer: wholeFile(`${PRODUCTION}${DETECTOR}${RULE}`),
  },
  G007: {
    why: 'An invalid value is refused, never replaced by a similar valid one.',
    avoid: ruleWith('then: { action: blok }'),
    prefer: ruleWith('then: { action: flag }'),
  },
  G008: {
    why: 'Without this check, a file that is not a policy would be ignored silently in an environment folder.',
    avoid: {
      'production/policy.yaml': wholeFile(`${PRODUCTION}${DETECTOR}${RULE}`),
      'production/notes.yaml': '- remember this\n',
    },
    prefer: { 'production/policy.yaml': wholeFile(`${PRODUCTION}${DETECTOR}${RULE}`) },
  },
  G009: {
    why: 'A file that is not valid YAML cannot be read.',
    avoid: 'lists:\n  approved: [gpt-4o\n',
    prefer: 'lists:\n  approved: [gpt-4o]\n',
  },
  G010: {
    why: 'Policies are written by people. A file that is larger or more deeply nested than people write is a mistake or an attack.',
    avoid: `lists:\n  deep: ${'['.repeat(50)}1${']'.repeat(50)}\n`,
    prefer: 'lists:\n  flat: [1]\n',
  },
  G011: {
    why: 'An environment without a policy file would judge nothing and report no problem. The same is true for a policy file that no policy loads: in a subfolder of an environment, outside of the environments, or with a name in capital letters.',
    avoid: {},
    prefer: { 'production/policy.yaml': wholeFile(`${PRODUCTION}${DETECTOR}${RULE}`) },
  },
  G012: {
    why: 'Without the extended file, its rules are missing. Paths are relative to the file with `extends`.',
    avoid: `extends: [../_shared/basline.yaml]\n${RULE}`,
    prefer: { 'production/policy.yaml': wholeFile(OVERRIDDEN), '_shared/baseline.yaml': BASELINE },
  },
  G013: {
    why: 'A file overrides the files that it extends. In a circle, no file would take precedence.',
    avoid: {
      'production/policy.yaml': wholeFile(OVERRIDDEN),
      '_shared/baseline.yaml': wholeFile(
        `extends: [../production/policy.yaml]\n${DETECTOR}${RULE}`,
        '{ id: baseline, owner: security@example.com }',
      ),
    },
    prefer: { 'production/policy.yaml': wholeFile(OVERRIDDEN), '_shared/baseline.yaml': BASELINE },
  },
  G014: {
    why: 'Most YAML parsers silently use the last of two equal keys. The first one, which a reviewer may have seen, is ignored.',
    avoid: ruleWith('then: { action: flag }\nseverity: high\nseverity: low'),
    prefer: ruleWith('then: { action: flag }\nseverity: high'),
  },
  G020: {
    why: 'An override or exception of a rule that does not exist has no effect, although it looks like a change.',
    avoid: {
      'production/policy.yaml': wholeFile(`${OVERRIDDEN}overrides:
  - { rule: example.rul, because: Support needs it, set: { severity: high } }
`),
      '_shared/baseline.yaml': BASELINE,
    },
    prefer: {
      'production/policy.yaml': wholeFile(`${OVERRIDDEN}overrides:
  - { rule: example.rule, because: Support needs it, set: { severity: high } }
`),
      '_shared/baseline.yaml': BASELINE,
    },
  },
  G021: {
    why: 'An override changes nothing if its field is missing in the rule, or if it removes an entry that is missing in the list.',
    avoid: {
      'production/policy.yaml': wholeFile(`${OVERRIDDEN}overrides:
  - { rule: example.rule, because: Support needs it, set: { then.acton: flag } }
`),
      '_shared/baseline.yaml': BASELINE,
    },
    prefer: {
      'production/policy.yaml': wholeFile(`${OVERRIDDEN}overrides:
  - { rule: example.rule, because: Support needs it, weakens: true, set: { then: { action: flag } } }
`),
      '_shared/baseline.yaml': BASELINE,
    },
  },
  G022: {
    why: 'Two overrides of the same field contradict each other, and the order in a file has no meaning.',
    avoid: {
      'production/policy.yaml': wholeFile(`${OVERRIDDEN}overrides:
  - { rule: example.rule, because: It is urgent, set: { severity: critical } }
  - { rule: example.rule, because: It is not, set: { severity: low } }
`),
      '_shared/baseline.yaml': BASELINE,
    },
    prefer: {
      'production/policy.yaml': wholeFile(`${OVERRIDDEN}overrides:
  - { rule: example.rule, because: It is urgent, set: { severity: critical } }
`),
      '_shared/baseline.yaml': BASELINE,
    },
  },
  G030: {
    why: 'Keys of later releases have no effect in this release. Accepting them would be misleading, so they are refused.',
    avoid: `max_policy_age: 24h\n${RULE}`,
    prefer: RULE,
  },
};
