import { blockRule, ruleWith, wholeFile, type LintPage } from './page.js';

const RULE = blockRule('{ pii.types: { any_of: [EMAIL] } }');
const BASELINE = wholeFile(
  `detectors:\n  pii: { plugin: pii@^1 }\n${RULE}`,
  '{ id: baseline, owner: security@example.com }',
);
const exception = (expires: string): string => `${RULE}exceptions:
  - id: EX-1
    rules: [example.rule]
    because: The contract allows it
    approved_by: dpo@example.com
    ticket: SEC-1
    expires: ${expires}
`;
const holding = (until: string): string => `retention:
  content: 30d
  records: 400d
  holds:
    - { id: LH-1, match: { metadata.user_id: u1 }, because: Lawsuit 12 C 345, until: ${until} }
${RULE}`;
const overriding = (override: string): Record<string, string> => ({
  'production/policy.yaml': wholeFile(
    `environment: production\ndefault: allow\nextends: [../_shared/baseline.yaml]\noverrides:\n${override}`,
  ),
  '_shared/baseline.yaml': BASELINE,
});
const monitored = (reviewBy: string): string =>
  ruleWith(`mode: monitor\n${reviewBy}then: { action: block }\non_unknown: match`);
const answering = (words: string): string => ruleWith(`then: { action: block, answer: '${words}' }\non_unknown: match`);
const ignoring = (comment: string): string => ruleWith(`then: { action: block }\non_unknown: no_match ${comment}`);

/** G3xx: the owners of rules, dates, and ignored findings. The examples are evaluated as of 2026-11-21. */
export const GOVERNANCE_PAGES: Readonly<Record<string, LintPage>> = {
  G300: {
    why: 'When a rule refuses a call, users need a contact who is responsible for it.',
    avoid: wholeFile(
      `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${RULE}`,
      '{ id: example }',
    ),
    prefer: RULE,
  },
  G301: {
    why: 'After `expires` the rules apply again. An expired exception has no effect, but people may still rely on it.',
    avoid: exception('2026-05-28T00:00:00Z'),
    prefer: exception('2027-05-28T00:00:00Z'),
  },
  G302: {
    why: 'The exception expires within thirty days, and its rules then apply again. Renew it in time if it is still needed.',
    avoid: exception('2026-12-01T00:00:00Z'),
    prefer: exception('2027-05-28T00:00:00Z'),
  },
  G303: {
    why: 'An exception without regular renewal becomes permanent. `max_exception` in weir.config.yaml limits its duration.',
    avoid: {
      'weir.config.yaml': 'apiVersion: weir/v1\nkind: Project\nenvironments: [production]\nmax_exception: 90d\n',
      'production/policy.yaml': wholeFile(
        `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${exception('2030-01-01T00:00:00Z')}`,
      ),
    },
    prefer: {
      'weir.config.yaml': 'apiVersion: weir/v1\nkind: Project\nenvironments: [production]\nmax_exception: 90d\n',
      'production/policy.yaml': wholeFile(
        `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${exception('2027-01-15T00:00:00Z')}`,
      ),
    },
  },
  G304: {
    why: 'A monitored rule does not protect. Its review date, on which its future should be decided, has passed.',
    avoid: monitored('review_by: 2026-10-01\n'),
    prefer: monitored('review_by: 2027-02-01\n'),
  },
  G305: {
    why: 'An override that weakens a rule must be marked with `weakens: true`, which reviewers and CODEOWNERS can search for. These changes make a rule weaker: a weaker action, monitor mode, a smaller rollout, another stage, `on_unknown: no_match`, fewer masked entities, stable tokens, restored values, and a changed condition that may match fewer calls. The rules are compared with their lists and defaults. A condition that cannot be shown to match at least the same calls counts as weaker.',
    avoid: overriding('  - { rule: example.rule, because: Support needs it, set: { then: { action: flag } } }\n'),
    prefer: overriding(
      '  - { rule: example.rule, because: Support needs it, weakens: true, set: { then: { action: flag } } }\n',
    ),
  },
  G306: {
    why: 'Exceptions, tests, history and metrics refer to a rule by its id. A renamed rule counts as a new rule, unless `formerly` lists its old id. Checked with `--since <revision>`.',
    avoid: {
      'before/production/policy.yaml': wholeFile(
        `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${RULE}`,
      ),
      'production/policy.yaml': wholeFile(
        `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${RULE.replace('example.rule', 'example.renamed')}`,
      ),
    },
    prefer: {
      'before/production/policy.yaml': wholeFile(
        `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${RULE}`,
      ),
      'production/policy.yaml': wholeFile(
        `environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n${RULE.replace('example.rule', 'example.renamed\n    formerly: [example.rule]')}`,
      ),
    },
  },
  G307: {
    why: 'Without a review date, monitoring tends to become permanent. A monitored rule in an enforcing policy needs one, and so does a rule with a rollout of 0 %.',
    avoid: monitored(''),
    prefer: monitored('review_by: 2027-02-01\n'),
  },
  G308: {
    why: 'Events are deleted soon after the end of their hold. A hold that has ended has no effect, but people may rely on it.',
    avoid: holding('2026-05-28T00:00:00Z'),
    prefer: holding('2027-05-28T00:00:00Z'),
  },
  G310: {
    why: 'In production, a caller must not be able to disable a rule by values that the caller itself sends. Use facts proven by the key (app, key, environment), or accept the risk and give a reason. Lint reports negated conditions on such values in rules that block or redact, and every condition on such values in an allow rule or an exception. Other conditions on these values, such as `lt`, match only calls that send the value: such a rule applies only to callers that choose to send it. Flag rules affect no call and are not checked.',
    avoid: blockRule('{ all: [{ pii.count: { gt: 0 } }, { not: { metadata.break_glass: true } }] }'),
    prefer: blockRule('{ all: [{ pii.count: { gt: 0 } }, { not: { app.name: incident-desk } }] }'),
  },
  G311: {
    why: 'An archive or an encrypted file may contain anything that the rules forbid, and the provider may read it. With `pass` it is forwarded without a report. Use `flag` to report it, or add an ignore comment with the reason.',
    avoid: `unread: { governed: pass }\n${RULE}`,
    prefer: `unread: { governed: refuse }\n${RULE}`,
  },
  G312: {
    why: 'Refused callers see the message and the answer of a rule, and client logs store them. A credential in them is leaked.',
    avoid: answering('Ask the desk at https://desk:s3cr3t-Pl4ne-42@desk.example'),
    prefer: answering('Ask the desk at https://desk.example'),
  },
  G313: {
    why: 'With `client_monitor_mode: honor`, a call with `monitor_mode: true` is judged and recorded, but no rule and no budget refuses it. This is for tests: in production, whoever holds a key could turn off every rule.',
    avoid: `client_monitor_mode: honor\n${RULE}`,
    prefer: `client_monitor_mode: ignore\n${RULE}`,
  },
  G320: {
    why: 'A comment that suppresses nothing is obsolete, misspelt, or on the wrong line. `--fix` removes it. Errors that prevent compilation cannot be ignored.',
    avoid: ignoring('# weir-ignore G131: kept for readability').replace('no_match', 'match'),
    prefer: ignoring('').replace('no_match', 'match'),
  },
  G321: {
    why: 'Later readers of the rule need to know why the warning was ignored. Without a reason, the comment has no effect.',
    avoid: ruleWith('then: { action: block }\n# weir-ignore G131\non_unknown: match'),
    prefer: ignoring('# weir-ignore G111: the gateway behind us refuses on its own'),
  },
  G322: {
    why: 'The end date of the comment has passed, so the finding is reported again.',
    avoid: ruleWith(
      'then: { action: block }\n# weir-ignore G131: until the detector is renamed (until 2026-10-01)\non_unknown: match',
    ),
    prefer: ignoring('# weir-ignore G111: until the gateway is gone (until 2027-06-01)'),
  },
};
