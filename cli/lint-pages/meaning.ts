import { blockRule, ruleWith, type LintPage } from './page.js';

const SHADOW = (second: string): string => `${blockRule('{ pii.types: { any_of: [EMAIL, PHONE] } }')}${second}`;

/** G1xx: what facts, operators, values and conditions mean. */
export const MEANING_PAGES: Readonly<Record<string, LintPage>> = {
  G101: {
    why: 'A fact that does not exist is never there, so its condition never holds and the rule never bites.',
    avoid: blockRule('{ prompt_injektion.score: { gte: 0.6 } }'),
    prefer: blockRule('{ prompt_injection.score: { gte: 0.6 } }'),
  },
  G102: {
    why: 'An operator that does not exist cannot be evaluated. Lists need an operator too: what is meant by one differs by fact.',
    avoid: blockRule('{ pii.types: { has: [EMAIL] } }'),
    prefer: blockRule('{ pii.types: { any_of: [EMAIL] } }'),
  },
  G103: {
    why: 'A comparison of a text with a number is always false, or an error while calls are judged. Both are found here instead.',
    avoid: blockRule('{ model.name: { gte: 4 } }'),
    prefer: blockRule('{ model.name: { starts_with: gpt-4 } }'),
  },
  G104: {
    why: 'A named condition that does not exist can be neither true nor false, and conditions that use each other have no end.',
    avoid: `conditions:
  untrusted: { prompt_injection.score: { gte: 0.8 } }
${blockRule('{ use: untrustd }')}`,
    prefer: `conditions:
  untrusted: { prompt_injection.score: { gte: 0.8 } }
${blockRule('{ use: untrusted }')}`,
  },
  G105: {
    why: 'A list that does not exist holds nothing, so nothing is ever in it.',
    avoid: `lists:
  approved_models: [gpt-4o]
${blockRule('{ not: { model.name: { in: $lists.aproved_models } } }')}`,
    prefer: `lists:
  approved_models: [gpt-4o]
${blockRule('{ not: { model.name: { in: $lists.approved_models } } }')}`,
  },
  G106: {
    why: '`in` with a text is a search for letters in other engines: `gpt-4` is "in" `gpt-4o`. Here it takes a list, and `--fix` makes one.',
    avoid: blockRule('{ model.name: { in: gpt-4o } }'),
    prefer: blockRule('{ model.name: { in: [gpt-4o] } }'),
  },
  G107: {
    why: 'A value that the fact cannot have makes the condition a constant.',
    avoid: blockRule('{ pii.types: { any_of: [E_MAIL] } }'),
    prefer: blockRule('{ pii.types: { any_of: [EMAIL] } }'),
  },
  G108: {
    why: 'A limit outside the range of the fact is never reached, or always.',
    avoid: blockRule('{ prompt_injection.score: { gte: 80 } }'),
    prefer: blockRule('{ prompt_injection.score: { gte: 0.8 } }'),
  },
  G109: {
    why: 'An empty group holds for every call in most engines, so a rule whose last condition was deleted would match everything.',
    avoid: blockRule('{ all: [] }'),
    prefer: blockRule('{ all: [{ pii.count: { gt: 0 } }] }'),
  },
  G110: {
    why: 'When a detector fails, a rule that acts can refuse the call or let it pass. Nobody but its author can choose, so it has to be written.',
    avoid: ruleWith('then: { action: block }'),
    prefer: ruleWith('then: { action: block }\non_unknown: match'),
  },
  G111: {
    why: 'A blocking rule that says `no_match` lets the call through whenever its detector is down: exactly when an attacker would want it.',
    avoid: ruleWith('then: { action: block }\non_unknown: no_match'),
    prefer: ruleWith('then: { action: block }\non_unknown: match'),
  },
  G112: {
    why: 'Of two keys in one condition an engine may ignore one. Each condition is an entry of its own, which a diff shows on its own line.',
    avoid: blockRule('{ pii.count: { gt: 0 }, model.name: gpt-4o }'),
    prefer: blockRule('{ all: [{ pii.count: { gt: 0 } }, { model.name: gpt-4o }] }'),
  },
  G114: {
    why: 'A field that does nothing for this action says something about the rule that is not so. `--fix` takes it out.',
    avoid: ruleWith('then: { action: flag, reason: content_policy_violation }'),
    prefer: ruleWith('then: { action: flag }'),
  },
  G115: {
    why: '`tool_use_blocked` tells a client that a tool call was refused. A request has none yet. `--fix` writes the reason that fits.',
    avoid: ruleWith('then: { action: block, reason: tool_use_blocked }\non_unknown: match'),
    prefer: ruleWith('then: { action: block, reason: content_policy_violation }\non_unknown: match'),
  },
  G116: {
    why: 'Only a token stands for one value, and only what was replaced in a request can be put back into its answer.',
    avoid: ruleWith('then: { action: redact, redact: { entities: [EMAIL], restore: true } }\non_unknown: match'),
    prefer: ruleWith(
      'then: { action: redact, redact: { entities: [EMAIL], tokens: stable, restore: true } }\non_unknown: match',
    ),
  },
  G120: {
    why: 'A fact that is not there at the stage of the rule is never known, and the rule never certain.',
    avoid: blockRule('{ tool.name: run_shell }'),
    prefer: blockRule('{ tool.name: run_shell }')
      .replace('stage: pre', 'stage: tool')
      .replace('content_policy_violation', 'tool_use_blocked'),
  },
  G121: {
    why: 'A detector that does not look for a code never finds it. The condition would be false for ever, and look right.',
    avoid: `detectors:
  pii: { plugin: pii@^1, codes: { remove: [EMAIL] } }
${blockRule('{ pii.types: { any_of: [EMAIL] } }')}`,
    prefer: blockRule('{ pii.types: { any_of: [EMAIL] } }'),
  },
  G122: {
    why: 'A policy for another version of a detector was tested with other findings. Nothing runs until both agree.',
    avoid: `detectors:
  pii: { plugin: pii@^99 }
${blockRule('{ model.name: gpt-4 }')}`,
    prefer: blockRule('{ model.name: gpt-4 }'),
  },
  G123: {
    why: 'An option with a value that the plugin does not understand would silently be the default.',
    avoid: `detectors:
  pii: { plugin: pii@^1, locales: 7 }
${blockRule('{ model.name: gpt-4 }')}`,
    prefer: blockRule('{ model.name: gpt-4 }'),
  },
  G124: {
    why: 'A redaction of something that no detector searches for masks nothing.',
    avoid: ruleWith('then: { action: redact, redact: { entities: [EMAILS] } }\non_unknown: match'),
    prefer: ruleWith('then: { action: redact, redact: { entities: [EMAIL] } }\non_unknown: match'),
  },
  G125: {
    why: 'A blocking budget reserves what a call can cost at most. Nothing limits the output of a call that names no `max_tokens`, so what it costs can be more than was reserved, and the limit can be passed. `default_max_tokens` caps such calls.',
    avoid: `budgets:
  - { id: day, scope: [app], window: { per: day, timezone: UTC }, limit: { usd: 250 }, on_exceed: block }
`,
    prefer: `default_max_tokens: 4096
budgets:
  - { id: day, scope: [app], window: { per: day, timezone: UTC }, limit: { usd: 250 }, on_exceed: block }
`,
  },
  G130: {
    why: 'A condition or rule with one answer for every call decides nothing. Found by going through the boundary values of all its facts.',
    avoid: blockRule('{ all: [{ prompt_injection.score: { gte: 0.9 } }, { prompt_injection.score: { lt: 0.6 } }] }'),
    prefer: blockRule('{ all: [{ prompt_injection.score: { gte: 0.6 } }, { prompt_injection.score: { lt: 0.9 } }] }'),
  },
  G131: {
    why: 'A condition that never changes the result is read, tested and kept for nothing, and hides which one decides. `--fix` takes it out. Found by going through the boundary values of all its facts, also with their detector down.',
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
    why: 'A rule whose every call is refused by another one as well never changes a decision. Either it is left over, or the other one matches more than it should.',
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
    why: 'Two rules that match the same calls and want different things: the stronger one wins, and whoever wrote the other one believes something that is not so.',
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
    why: 'Expressions run on a linear-time engine, so that no text can stall it. It has no back-references and no look-around, and takes no expression of unbounded size.',
    avoid: blockRule("{ model.name: { matches: '(?=gpt)' } }"),
    prefer: blockRule("{ model.name: { matches: '^gpt' } }"),
  },
  G141: {
    why: 'A fact is a plain name. Paths with expressions in them have run code in other tools.',
    avoid: blockRule("{ 'metadata[?(@.x)]': yes }"),
    prefer: blockRule('{ metadata.x: yes }'),
  },
  G134: {
    why: '`unmaskable` says what happens where a rule masks and nothing can be. Without a rule that masks, and in a policy that only watches, nobody asks, and readers take the key for a protection or a permission that it is not.',
    avoid: `unmaskable: { documents: flag }\n${blockRule('{ pii.types: { any_of: [EMAIL] } }')}`,
    prefer: `unmaskable: { documents: flag }\n${ruleWith("then: { action: redact, redact: { entities: [EMAIL], with: '[{type}]' } }\non_unknown: match")}`,
  },
  G142: {
    why: 'In `[^acme.com$]` the brackets mean "none of these letters", so it does not tell acme.com from any other domain. A bare dot matches any character, and `^a|b$` anchors one side of each alternative only. Domains have operators of their own.',
    avoid: blockRule("{ metadata.mail: { matches: '.*@[^acme.com$].*' } }"),
    prefer: blockRule('{ not: { metadata.mail: { email_domain_in: [acme.com] } } }').replace(
      '    then:',
      '    client_controlled: accepted\n    because: The mail gateway sets it\n    then:',
    ),
  },
};
