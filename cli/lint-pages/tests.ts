import { blockRule, wholeFile, type LintPage } from './page.js';

const RULE = blockRule('{ pii.types: { any_of: [EMAIL] } }');
const HEAD = 'environment: production\ndefault: allow\ndetectors:\n  pii: { plugin: pii@^1 }\n';
const SUITE = 'apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\n';
const FIRES = `  - id: mail-is-refused
    text: "Write to {{EMAIL:bob@example.com}}"
    expect: { action: block, rules: [example.rule] }
`;
const RESTS = `  - id: other-texts-pass
    text: hello
    expect: { action: allow, rules: [] }
`;
const DOWN = `  - id: refuses-without-its-detector
    text: hello
    unavailable: [pii]
    expect: { action: block, unavailable: true, rules: [example.rule] }
`;
const EXCEPTION = `exceptions:
  - id: EX-1
    rules: [example.rule]
    when: { app.name: hr }
    because: The contract allows it
    approved_by: dpo@example.com
    ticket: SEC-1
    expires: 2027-06-30T00:00:00Z
`;
const BEFORE = `  - id: mail-is-allowed-for-hr
    text: "Write to {{EMAIL:bob@example.com}}"
    app: { name: hr }
    clock: 2026-11-21T09:00:00Z
    expect: { action: allow, rules: [], would_block: [example.rule], exceptions: [EX-1] }
`;
const AFTER = `  - id: mail-is-refused-again
    text: "Write to {{EMAIL:bob@example.com}}"
    app: { name: hr }
    clock: 2027-07-01T00:00:00Z
    expect: { action: block, rules: [example.rule] }
`;
const ALL = [FIRES, RESTS, DOWN];

function project(tests: readonly string[], more = ''): Record<string, string> {
  const app = more === '' ? '' : 'defaults: { app: { name: web } }\n';
  return {
    'production/policy.yaml': wholeFile(`${HEAD}${RULE}${more}`),
    'tests/example.test.yaml': `${SUITE}${app}tests:\n${tests.join('')}`,
  };
}

const EMPLOYEE_FIRES = `  - id: employee-ids-stay-inside
    text: "Ask {{employee_id:HID-123}}"
    expect: { action: block, rules: [example.rule] }
`;
const EMPLOYEE_DOWN = DOWN.replace('[pii]', '[hid]');

function patterns(tests: readonly string[]): Record<string, string> {
  const head = HEAD.replace(
    '  pii: { plugin: pii@^1 }',
    "  hid: { plugin: regex@^1, patterns: { employee_id: 'HID-[0-9]{3}' } }",
  );
  return {
    'production/policy.yaml': wholeFile(`${head}${blockRule('{ hid.count: { gt: 0 } }')}`),
    'tests/example.test.yaml': `${SUITE}tests:\n${[...tests, EMPLOYEE_DOWN].join('')}`,
  };
}

/** A page whose example to avoid differs from a correct test suite in one line. */
function changed(why: string, from: string, to: string): LintPage {
  const avoid = project(ALL.map((test) => test.replace(from, to)));
  return { why, avoid, prefer: project(ALL) };
}

const TABLE = `  - id: table
    table:
      columns: [text, action, rules]
      rows:
        - ["{{EMAIL:bob@example.com}}", block, [example.rule]]
        - [hello, allow, []]
    text: $text
`;

const SETTINGS = `  - id: settings
    settings: { content: redacted }
`;

/** G2xx: missing tests. T0xx: errors in a test file. */
export const TEST_PAGES: Readonly<Record<string, LintPage>> = {
  G200: {
    why: 'No test shows that the rule can fire. The rule may be misspelt, at the wrong stage, or test for something that never happens. An allow rule never fires: one of its conditions has to be true in a test.',
    avoid: project([RESTS, DOWN]),
    prefer: project(ALL),
  },
  G201: {
    why: 'A rule that matches every call passes all tests in which it should fire. At least one test must show a call that the rule does not match.',
    avoid: project([FIRES, DOWN]),
    prefer: project(ALL),
  },
  G202: {
    why: 'A pattern or word may find nothing if no test text contains a match, and may find everything if every test text contains one. The rules that use the pattern would then be wrong, and all tests would pass.',
    avoid: patterns([
      EMPLOYEE_FIRES.replace('{{employee_id:HID-123}}', 'HID 123').replace(
        'block, rules: [example.rule]',
        'allow, rules: []',
      ),
      RESTS,
    ]),
    prefer: patterns([EMPLOYEE_FIRES, RESTS]),
  },
  G210: {
    why: 'The behaviour of a blocking rule during an outage of its detector matters as much as its normal behaviour. `unavailable: [<detector>]` switches a detector off. A value that the condition cannot compare does not count as an outage.',
    avoid: project([FIRES, RESTS]),
    prefer: project(ALL),
  },
  G211: {
    why: 'An exception allows calls, and it expires. A test with a `clock:` after `expires` shows that the rule applies again.',
    avoid: project([...ALL, BEFORE], EXCEPTION),
    prefer: project([...ALL, BEFORE, AFTER], EXCEPTION),
  },
  T002: changed('The runner would silently ignore an unknown key.', 'text: hello', 'txt: hello'),
  T003: changed(
    'A value of the wrong kind, or an expectation without rules, tests less than its author expects.',
    'expect: { action: allow, rules: [] }',
    'expect: { action: allow }',
  ),
  T004: changed(
    'A test for an environment that does not exist would never run.',
    'id: other-texts-pass',
    'id: other-texts-pass\n    environments: [prod]',
  ),
  T005: {
    why: 'A file without tests always passes.',
    avoid: { ...project([]), 'tests/example.test.yaml': `${SUITE}tests: []\n` },
    prefer: project(ALL),
  },
  T006: changed(
    'If two tests have the same id, a report cannot show which one failed.',
    'other-texts-pass',
    'mail-is-refused',
  ),
  T010: changed(
    'An invalid annotation would be ignored, and the stub detector would find nothing.',
    '{{EMAIL:bob@example.com}}',
    '{{EMAIL bob@example.com',
  ),
  T011: changed('An entity that no detector of the policy supports is never found.', '{{EMAIL:', '{{E_MAIL:'),
  T012: {
    why: 'If two detectors have the same code, the annotation must name the detector.',
    avoid: {
      'production/policy.yaml': wholeFile(`${HEAD}  staff: { plugin: pii@^1 }\n${RULE}`),
      'tests/example.test.yaml': `${SUITE}tests:\n${ALL.join('')}`,
    },
    prefer: {
      'production/policy.yaml': wholeFile(`${HEAD}  staff: { plugin: pii@^1 }\n${RULE}`),
      'tests/example.test.yaml': `${SUITE}tests:\n${ALL.join('').replace('{{EMAIL:', '{{pii/EMAIL:')}`,
    },
  },
  T020: changed(
    'A fact that does not exist has no effect.',
    'text: hello',
    'text: hello\n    facts: { pi: { count: 0 } }',
  ),
  T021: changed(
    'A test with an impossible value of a fact describes a call that cannot happen.',
    'text: hello',
    'text: hello\n    facts: { request: { max_tokens: -1 } }',
  ),
  T022: {
    why: 'If a rule reads a fact that the test does not set, the fact would be unknown, and the test would describe an outage.',
    avoid: {
      'production/policy.yaml': wholeFile(`${HEAD}${blockRule('{ app.name: web }')}`),
      'tests/example.test.yaml': `${SUITE}tests:\n${RESTS}`,
    },
    prefer: {
      'production/policy.yaml': wholeFile(`${HEAD}${blockRule('{ app.name: web }')}`),
      'tests/example.test.yaml': `${SUITE}defaults: { app: { name: desk } }\ntests:\n${RESTS}${RESTS.replace('other-texts-pass', 'web-is-refused').replace('text: hello', 'text: hello\n    app: { name: web }').replace('allow, rules: []', 'block, rules: [example.rule]')}`,
    },
  },
  T030: changed(
    'An expectation about a rule that does not exist would always hold, and would be meaningless.',
    'rules: [example.rule] }',
    'rules: [example.rul] }',
  ),
  T031: changed(
    'An expectation about an exception that does not exist has no meaning.',
    'expect: { action: allow, rules: [] }',
    'expect: { action: allow, rules: [], exceptions: [EX-9] }',
  ),
  T032: changed(
    'Switching off a detector that does not exist has no effect.',
    'unavailable: [pii]',
    'unavailable: [pi]',
  ),
  T033: changed(
    'No rule redacts under this type, so the expectation can never hold.',
    'expect: { action: allow, rules: [] }',
    'expect: { action: allow, rules: [], redactions: [{ type: EMAIL, count: 1 }] }',
  ),
  T034: {
    why: 'A test of a setting that does not exist would test nothing.',
    avoid: project([...ALL, SETTINGS.replace('content:', 'contents:')]),
    prefer: project([...ALL, SETTINGS]),
  },
  T040: {
    why: 'A table with a missing cell or an unused column does not test what it shows.',
    avoid: project([...ALL, TABLE.replace('[hello, allow, []]', '[hello, allow]')]),
    prefer: project([...ALL, TABLE]),
  },
  T041: {
    why: 'A name after $ that is not a column would be sent literally.',
    avoid: project([...ALL, TABLE.replace('text: $text', 'text: $text $more')]),
    prefer: project([...ALL, TABLE]),
  },
  T050: changed(
    'A test that is skipped without a reason and a date may stay skipped for ever.',
    'text: hello\n    expect',
    'text: hello\n    skip: true\n    expect',
  ),
};
