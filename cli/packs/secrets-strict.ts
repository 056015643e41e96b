import type { Pack } from './pack.js';

const BASIC = ['dXNlcjpz', 'M2NyZXRQYXNz'].join('');
const KEY = ['AKIA', 'Z7VRSQLMB2CKXW3T'].join('');
const RANDOM = ['q7Rk2Vx9', 'Lp4Tz8Wn6Hb3'].join('');
const PASSWORD = ['Tr0ub4', 'dor&3x'].join('');
const JWT = [
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
  'eyJzdWIiOiI4ODE3NzI5Iiwicm9sZSI6ImVkaXRvciJ9',
  'q7Rk2Vx9Lp4Tz8Wn6Hb3Yc5Md1Fg0Js2Ku7QwErTyU',
].join('.');

/** Forms that are not a value after a name: refused in requests, masked in answers. */
const OTHER_FORMS = `      columns: [code]
      rows:
        - [command_password]
        - [password_hash]
        - [prefixed_token]
        - [session_cookie]
        - [signed_url]`;

/** `weir:secrets-strict@1`. */
export const SECRETS_STRICT: Pack = {
  name: 'weir:secrets-strict@1',
  title: 'Credentials, strictly',
  about:
    'For applications that never need credentials in calls. The baseline refuses credentials in the format of a known issuer, and only\nflags values that resemble a credential or are named as one. This pack also refuses these values, searches for passwords, and keeps\nall credentials out of tool calls. Expect refusals of examples in documentation and code.',
  source: { title: 'NIST SP 800-53 Rev. 5', url: 'https://csrc.nist.gov/pubs/sp/800/53/r5/upd1/final' },
  clauses: [
    {
      clause: 'IA-5(6)',
      what: 'Authenticators are protected like the resources that they give access to',
      covered: 'partly',
      rules: [
        'secrets.block-live-credential',
        'secrets-strict.block-possible-credential',
        'secrets-strict.block-credential-in-tool-call',
      ],
      words:
        'Covered: 216 kinds of credentials with a recognisable format (by the baseline); tokens in headers and URLs, JSON Web Tokens, random values with a name such as `api_key`, and passwords after a word such as “password”. Not covered: a value without such a format or name, a password of ordinary words, a secret of fewer than twelve characters.',
    },
    {
      clause: 'IA-5(7)',
      what: 'No unencrypted static authenticators in applications',
      covered: 'partly',
      rules: ['secrets-strict.redact-possible-credential-in-answer', 'secrets.redact-leaked-credential'],
      words: 'Credentials in answers, such as in generated code, are masked.',
    },
    {
      clause: 'AC-6',
      what: 'Least privilege',
      covered: 'partly',
      rules: ['secrets-strict.block-secret-manager-call'],
      words:
        'Tools that return secrets are recognised by their usual names; add yours with `lists: { secret_tools: { add: [ … ] } }`. `get_parameter` counts only with decryption. The permissions of a token are not known.',
    },
    {
      clause: 'IA-5(1), SC-12',
      what: 'Choosing, storing, changing and revoking authenticators',
      covered: 'no',
      rules: [],
      words: 'A credential that was seen in a request is refused, not revoked: change it.',
    },
  ],
  yours: [
    'Change every credential that the log reports, because it was exposed.',
    'An application that has to speak about tokens, such as a help desk for developers, needs an exception, or only the baseline.',
  ],
  tests: String.raw`apiVersion: weir/v1
kind: PolicyTest
title: Credentials (weir:secrets-strict@1)
environments: [production]
clock: 2026-11-21T09:00:00Z
defaults:
  app: { name: web }
  model: { name: gpt-4o }
tests:
  - id: secrets-strict.clean-prompt-passes
    table:
      columns: [prompt]
      rows:
        - ['How do I reset my password?']
        - ['The token count is 4096']
        - ['Set the key_length to 2048']
    text: $prompt
    expect: { action: allow, rules_exclude: [secrets-strict.block-possible-credential] }

  - id: secrets-strict.live-credentials-are-refused
    text: 'key {{secrets/aws_access_key:${KEY}}}'
    expect:
      action: block
      rules_include: [secrets.block-live-credential]
      rules_exclude: [secrets-strict.block-possible-credential]

  - id: secrets-strict.what-looks-like-one-is-refused
    table:
      columns: [before, mark, after]
      rows:
        - ['Authorization: Basic ', '{{secrets/basic_auth:${BASIC}}}', '']
        - ['Authorization: Bearer ', '{{secrets/bearer_token:${RANDOM}}}', '']
        - ['api_key = "', '{{secrets/generic_secret:${RANDOM}}}', '"']
        - ['It says ', '{{secrets/jwt:${JWT}}}', ' there']
        - ['password: ', '{{secrets_passwords/password:${PASSWORD}}}', '']
    text: '$before$mark$after'
    expect:
      action: block
      reason: content_policy_violation
      rules_include: [secrets-strict.block-possible-credential]

  - id: secrets-strict.what-looks-like-one-is-masked-in-answers
    stage: post
    table:
      columns: [before, code, mark, after]
      rows:
        - ['Authorization: Basic ', basic_auth, '{{secrets/basic_auth:${BASIC}}}', '']
        - ['Authorization: Bearer ', bearer_token, '{{secrets/bearer_token:${RANDOM}}}', '']
        - ['api_key = "', generic_secret, '{{secrets/generic_secret:${RANDOM}}}', '"']
        - ['It says ', jwt, '{{secrets/jwt:${JWT}}}', ' there']
        - ['password: ', password, '{{secrets_passwords/password:${PASSWORD}}}', '']
    text: '$before$mark$after'
    expect:
      action: redact
      rules_include: [secrets-strict.redact-possible-credential-in-answer]
      text: '$before[${'$'}{code}_1]$after'

  - id: secrets-strict.other-forms-are-refused
    detectors: stub
    table:
${OTHER_FORMS}
    text: 'Value {{secrets/$code:sample}}'
    expect: { action: block, rules_include: [secrets-strict.block-possible-credential] }

  - id: secrets-strict.other-forms-are-masked-in-answers
    detectors: stub
    stage: post
    table:
${OTHER_FORMS}
    text: 'Value {{secrets/$code:sample}}'
    expect:
      action: redact
      rules_include: [secrets-strict.redact-possible-credential-in-answer]
      text: 'Value [${'$'}{code}_1]'

  - id: secrets-strict.other-answers-pass
    stage: post
    text: Open the settings
    expect: { action: allow, rules_exclude: [secrets-strict.redact-possible-credential-in-answer] }

  - id: secrets-strict.urls-with-a-password-are-refused
    detectors: stub
    text: 'Open {{secrets/url_credentials:a URL with a password}}'
    expect: { action: block, rules_include: [secrets-strict.block-possible-credential] }

  - id: secrets-strict.urls-with-a-password-are-masked-in-answers
    detectors: stub
    stage: post
    text: 'Open {{secrets/url_credentials:a URL with a password}}'
    expect:
      action: redact
      rules_include: [secrets-strict.redact-possible-credential-in-answer]
      text: 'Open [url_credentials_1]'

  - id: secrets-strict.refused-without-a-detector
    stage: $stage
    table:
      columns: [down, stage, rule]
      rows:
        - [secrets, pre, secrets-strict.block-possible-credential]
        - [secrets_passwords, pre, secrets-strict.block-possible-credential]
        - [secrets, post, secrets-strict.redact-possible-credential-in-answer]
        - [secrets_passwords, post, secrets-strict.redact-possible-credential-in-answer]
    unavailable: [$down]
    text: hello
    expect: { action: block, unavailable: true, rules_include: [$rule] }

  - id: secrets-strict.no-tool-gets-one
    stage: tool
    table:
      columns: [mark]
      rows:
        - ['{{secrets/aws_access_key:${KEY}}}']
        - ['It says {{secrets/jwt:${JWT}}} there']
        - ['password: {{secrets_passwords/password:${PASSWORD}}}']
    tool: { name: save_note, args: { text: $mark } }
    expect: { action: block, reason: tool_use_blocked, rules_include: [secrets-strict.block-credential-in-tool-call] }

  - id: secrets-strict.other-calls-run
    stage: tool
    tool: { name: save_note, args: { text: 'Milk, eggs' } }
    expect:
      action: allow
      rules_exclude: [secrets-strict.block-credential-in-tool-call, secrets-strict.block-secret-manager-call]

  - id: secrets-strict.tool-calls-wait-for-the-detectors
    stage: tool
    table:
      columns: [down]
      rows: [[secrets], [secrets_passwords]]
    unavailable: [$down]
    tool: { name: save_note, args: { text: 'Milk, eggs' } }
    expect: { action: block, unavailable: true, rules_include: [secrets-strict.block-credential-in-tool-call] }

  - id: secrets-strict.nothing-hands-out-secrets
    stage: tool
    table:
      columns: [tool]
      rows:
        - [access_secret_version]
        - [get_credential]
        - [get_credentials]
        - [get_password]
        - [get_secret]
        - [mcp__aws__get_secret_value]
        - [item_get]
        - [read_secret]
        - [vault.read_secrets]
    tool: { name: $tool, args: { id: prod/db } }
    expect: { action: block, reason: tool_use_blocked, rules_include: [secrets-strict.block-secret-manager-call] }

  - id: secrets-strict.parameters-are-settings-unless-decrypted
    stage: tool
    table:
      columns: [tool, flag, value, action, include, exclude]
      rows:
        - [get_parameter, page, 1, allow, [], [secrets-strict.block-secret-manager-call]]
        - [get_parameter, WithDecryption, false, allow, [], [secrets-strict.block-secret-manager-call]]
        - [get_parameter, WithDecryption, true, block, [secrets-strict.block-secret-manager-call], []]
        - [mcp__aws__get_parameters, with_decryption, true, block, [secrets-strict.block-secret-manager-call], []]
        - [get_parameters_by_path, with_decryption, true, block, [secrets-strict.block-secret-manager-call], []]
        - [save_note, with_decryption, true, allow, [], [secrets-strict.block-secret-manager-call]]
    tool: { name: $tool, args: { $flag: $value } }
    expect: { action: $action, rules_include: $include, rules_exclude: $exclude }

  - id: secrets-strict.names-of-tools-are-needed
    stage: tool
    unavailable: [tool-use]
    tool: { name: save_note, args: { text: 'Milk, eggs' } }
    expect: { action: block, unavailable: true, rules_include: [secrets-strict.block-secret-manager-call] }
`,
};
