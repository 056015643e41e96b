import { blockRule, ruleWith, type LintPage } from './page.js';

const SHADOW = (second: string): string => `${blockRule('{ pii.types: { any_of: [EMAIL, PHONE] } }')}${second}`;

/** G1xx: the meaning of facts, operators, values and conditions. */
export const MEANING_PAGES: Readonly<Record<string, LintPage>> = {
  G101: {
    why: 'A condition on an unknown fact is never true, so the rule never applies.',
    avoid: blockRule('{ prompt_injektion.score: { gte: 0.6 } }'),
    prefer: blockRule('{ prompt_injection.score: { gte: 0.6 } }'),
  },
  G102: {
    why: 'An operator that does not exist cannot be evaluated. Lists need an operator, because their meaning depends on the fact.',
    avoid: blockRule('{ pii.types: { has: [EMAIL] } }'),
    prefer: blockRule('{ pii.types: { any_of: [EMAIL] } }'),
  },
  G103: {
    why: 'Comparing a text with a number is always false, or fails during evaluation. Lint reports the comparison instead.',
    avoid: blockRule('{ model.name: { gte: 4 } }'),
    prefer: blockRule('{ model.name: { starts_with: gpt-4 } }'),
  },
  G104: {
    why: 'A missing named condition has no value, and conditions that use each other in a circle cannot be evaluated.',
    avoid: `conditions:
  untrusted: { prompt_injection.score: { gte: 0.8 } }
${blockRule('{ use: untrustd }')}`,
    prefer: `conditions:
  untrusted: { prompt_injection.score: { gte: 0.8 } }
${blockRule('{ use: untrusted }')}`,
  },
  G105: {
    why: 'A list that does not exist is empty, so no value is ever in it.',
    avoid: `lists:
  approved_models: [gpt-4o]
${blockRule('{ not: { model.name: { in: $lists.aproved_models } } }')}`,
    prefer: `lists:
  approved_models: [gpt-4o]
${blockRule('{ not: { model.name: { in: $lists.approved_models } } }')}`,
  },
  G106: {
    why: 'In other engines, `in` with a text searches for a substring: `gpt-4` is "in" `gpt-4o`. In Weir, `in` requires a list, which `--fix` creates.',
    avoid: blockRule('{ model.name: { in: gpt-4o } }'),
    prefer: blockRule('{ model.name: { in: [gpt-4o] } }'),
  },
  G107: {
    why: 'With a value that the fact cannot have, the condition has the same result for every call.',
    avoid: blockRule('{ pii.types: { any_of: [E_MAIL] } }'),
    prefer: blockRule('{ pii.types: { any_of: [EMAIL] } }'),
  },
  G108: {
    why: 'A comparison with a value outside the range of the fact is always true or always false.',
    avoid: blockRule('{ prompt_injection.score: { gte: 80 } }'),
    prefer: blockRule('{ prompt_injection.score: { gte: 0.8 } }'),
  },
  G109: {
    why: 'In most engines an empty group is true for every call, so a rule whose last condition was deleted would match everything.',
    avoid: blockRule('{ all: [] }'),
    prefer: blockRule('{ all: [{ pii.count: { gt: 0 } }] }'),
  },
  G110: {
    why: 'When a detector fails, a rule can refuse the call or let it pass. Only its author can decide, so the choice must be explicit.',
    avoid: ruleWith('then: { action: block }'),
    prefer: ruleWith('then: { action: block }\non_unknown: match'),
  },
  G111: {
    why: 'A blocking rule with `no_match` lets calls pass while its detector is unavailable. An attacker may be able to cause this outage.',
    avoid: ruleWith('then: { action: block }\non_unknown: no_match'),
    prefer: ruleWith('then: { action: block }\non_unknown: match'),
  },
  G112: {
    why: 'If a condition has two keys, an engine may ignore one of them. Separate entries also have separate lines in a diff.',
    avoid: blockRule('{ pii.count: { gt: 0 }, model.name: gpt-4o }'),
    prefer: blockRule('{ all: [{ pii.count: { gt: 0 } }, { model.name: gpt-4o }] }'),
  },
  G114: {
    why: 'A field without effect for this action is misleading. `--fix` removes it.',
    avoid: ruleWith('then: { action: flag, reason: content_policy_violation }'),
    prefer: ruleWith('then: { action: flag }'),
  },
  G115: {
    why: '`tool_use_blocked` tells a client that a tool call was refused. A request contains no tool call yet. `--fix` writes the matching reason.',
    avoid: ruleWith('then: { action: block, reason: tool_use_blocked }\non_unknown: match'),
    prefer: ruleWith('then: { action: block, reason: content_policy_violation }\non_unknown: match'),
  },
  G116: {
    why: 'Only a stable token represents exactly one value, and only values replaced in a request can be restored in its answer.',
    avoid: ruleWith('then: { action: redact, redact: { entities: [EMAIL], restore: true } }\non_unknown: match'),
    prefer: ruleWith(
      'then: { action: redact, redact: { entities: [EMAIL], tokens: stable, restore: true } }\non_unknown: match',
    ),
  },
  G120: {
    why: 'A fact that is not available at the stage of the rule is always unknown, so the rule never has a definite result.',
    avoid: blockRule('{ tool.name: run_shell }'),
    prefer: blockRule('{ tool.name: run_shell }')
      .replace('stage: pre', 'stage: tool')
      .replace('content_policy_violation', 'tool_use_blocked'),
  },
  G121: {
    why: 'A detector never reports a code that is not enabled. The condition would always be false but look correct.',
    avoid: `detectors:
  pii: { plugin: pii@^1, codes: { remove: [EMAIL] } }
${blockRule('{ pii.types: { any_of: [EMAIL] } }')}`,
    prefer: blockRule('{ pii.types: { any_of: [EMAIL] } }'),
  },
  G122: {
    why: 'A policy for another version of a detector was tested with other findings. The policy does not compile until the required and the loaded version agree.',
    avoid: `detectors:
  pii: { plugin: pii@^99 }
${blockRule('{ model.name: gpt-4 }')}`,
    prefer: blockRule('{ model.name: gpt-4 }'),
  },
  G123: {
    why: 'Without this check, an invalid option would silently be replaced by its default.',
    avoid: `detectors:
  pii: { plugin: pii@^1, locales: 7 }
${blockRule('{ model.name: gpt-4 }')}`,
    prefer: blockRule('{ model.name: gpt-4 }'),
  },
  G124: {
    why: 'A redaction of an entity that no detector searches for masks nothing.',
    avoid: ruleWith('then: { action: redact, redact: { entities: [EMAILS] } }\non_unknown: match'),
    prefer: ruleWith('then: { action: redact, redact: { entities: [EMAIL] } }\non_unknown: match'),
  },
  G125: {
    why: 'A blocking budget reserves the highest possible cost of a call. Without `max_tokens` the output of a call is unlimited, so its cost can exceed the reservation and the limit. `default_max_tokens` limits the output of these calls.',
    avoid: `budgets:
  - { id: day, scope: [app], window: { per: day, timezone: UTC }, limit: { usd: 250 }, on_exceed: block }
`,
    prefer: `default_max_tokens: 4096
budgets:
  - { id: day, scope: [app], window: { per: day, timezone: UTC }, limit: { usd: 250 }, on_exceed: block }
`,
  },
  G130: {
    why: 'A condition or rule with the same result for every call has no effect. Lint evaluates all combinations of boundary values of its facts.',
    avoid: blockRule('{ all: [{ prompt_injection.score: { gte: 0.9 } }, { prompt_injection.score: { lt: 0.6 } }] }'),
    prefer: blockRule('{ all: [{ prompt_injection.score: { gte: 0.6 } }, { prompt_injection.score: { lt: 0.9 } }] }'),
  },
  G131: {
    why: 'A condition without influence on the result has to be read, tested and maintained, and hides the condition that decides. `--fix` removes the condition. Lint evaluates all combinations of boundary values of the facts, including unavailable detectors.',
    avoid: `rules:
  - id: example.rule
    stage: pre
    when:
      all:
        - secrets.count: { gt: 0 }
        - secrets.types: { any_of: [aws_access_key] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`,
    prefer: `rules:
  - id: example.rule
    stage: pre
    when:
      all:
        - secrets.types: { any_of: [aws_access_key] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`,
  },
  G132: {
    why: 'If every call that a rule matches is also refused by another rule, the first rule never changes a decision. Either the first rule is obsolete, or the other rule matches more calls than it should.',
    avoid: SHADOW(`  - id: example.narrow
    stage: pre
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL] } }
    on_unknown: match
`),
    prefer: SHADOW(`  - id: example.other
    stage: pre
    when: { pii.types: { any_of: [IBAN] } }
    then: { action: redact, redact: { entities: [IBAN] } }
    on_unknown: match
`),
  },
  G133: {
    why: 'Two rules match the same calls with different actions: the stronger one wins, so the other one does not have the intended effect.',
    avoid: `${blockRule('{ pii.count: { gt: 0 } }')}  - id: example.other
    stage: pre
    when: { pii.count: { gte: 1 } }
    then: { action: flag }
`,
    prefer: `${blockRule('{ pii.count: { gt: 5 } }')}  - id: example.other
    stage: pre
    when: { pii.count: { gte: 1 } }
    then: { action: flag }
`,
  },
  G140: {
    why: 'Expressions run on a linear-time engine, so that no text can stall the evaluation. The engine supports neither back-references nor look-around, and limits the size of expressions and the time to compile them together.',
    avoid: blockRule("{ model.name: { matches: '(?=gpt)' } }"),
    prefer: blockRule("{ model.name: { matches: '^gpt' } }"),
  },
  G141: {
    why: 'A fact is a plain name. In other tools, expressions in paths have executed code.',
    avoid: blockRule("{ 'metadata[?(@.x)]': yes }"),
    prefer: blockRule('{ metadata.x: yes }'),
  },
  G134: {
    why: '`unmaskable` controls the effect of redacting rules on texts that cannot be changed. Without an enforced rule that redacts, the setting has no effect and is misleading.',
    avoid: `unmaskable: { documents: flag }\n${blockRule('{ pii.types: { any_of: [EMAIL] } }')}`,
    prefer: `unmaskable: { documents: flag }\n${ruleWith("then: { action: redact, redact: { entities: [EMAIL], with: '[{type}]' } }\non_unknown: match")}`,
  },
  G142: {
    why: 'In `[^acme.com$]`, the brackets mean "none of these letters", so the expression does not distinguish acme.com from other domains. A bare dot matches any character, and `^a|b$` anchors only one side of each alternative. There are separate operators for domains.',
    avoid: blockRule("{ metadata.mail: { matches: '.*@[^acme.com$].*' } }"),
    prefer: blockRule('{ not: { metadata.mail: { email_domain_in: [acme.com] } } }').replace(
      '    then:',
      '    client_controlled: accepted\n    because: The mail gateway sets it\n    then:',
    ),
  },
};
