import { PROJECT_FILE } from '../../src/authoring/index.js';
import { ENVIRONMENTS, type Environment } from '../../src/core/index.js';

/** The files that `weir init` writes, by path in the policies folder. */
export function policyProject(owner: string): Readonly<Record<string, string>> {
  return {
    [PROJECT_FILE]: PROJECT,
    '_shared/baseline.yaml': baseline(owner),
    ...Object.fromEntries(ENVIRONMENTS.map((name) => [`${name}/policy.yaml`, environment(name, owner)])),
    'tests/baseline.test.yaml': TESTS,
  };
}

const PROJECT = `# yaml-language-server: $schema=./_schema/project.v1.json
# Read by the weir command. Environments stand in the order in which changes move through them.
apiVersion: weir/v1
kind: Project
environments: [development, staging, production]
# An exception may reach no further into the future than this.
max_exception: 90d
`;

const SETTINGS: Readonly<Record<Environment, { about: string; mode: string; client: string }>> = {
  development: {
    about: 'Development watches: every call passes, and the log says what would have happened.',
    mode: 'monitor',
    client: 'honor',
  },
  staging: {
    about: 'Staging enforces; a caller may ask that its call is only watched.',
    mode: 'enforce',
    client: 'honor',
  },
  production: { about: 'Production enforces; no caller can switch a rule off.', mode: 'enforce', client: 'ignore' },
};

function environment(name: Environment, owner: string): string {
  const { about, mode, client } = SETTINGS[name];
  return `# yaml-language-server: $schema=../_schema/policy.v1.json
# ${about}
apiVersion: weir/v1
kind: Policy
metadata: { id: ${name}, owner: ${owner} }
environment: ${name}
default: allow # what happens to a call that no rule matches
mode: ${mode}
client_monitor_mode: ${client}
content: redacted # how much of a text the log keeps
extends:
  - ../_shared/baseline.yaml
`;
}

function baseline(owner: string): string {
  return `# yaml-language-server: $schema=../_schema/policy.v1.json
# What every environment inherits. A folder that starts with "_" is no environment of its own.
#
# A rule says four things: at which stage it looks (pre: the request, post: the answer, tool: each new tool call), when
# it matches, what happens then, and what happens when a detector cannot answer (match: fail closed). All rules are
# evaluated and the strongest action wins: block, redact, flag.
apiVersion: weir/v1
kind: Policy
metadata: { id: baseline, title: Baseline, owner: ${owner} }

detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }

lists:
  dangerous_tools:
    - delete_database
    - run_shell

rules:
  - id: pii.redact-contact
    title: Contact details are masked before they reach a provider
    stage: pre
    severity: medium
    when:
      all:
        - pii.types: { any_of: [EMAIL, PHONE] }
    then:
      action: redact
      redact: { entities: [EMAIL, PHONE], with: '[{type}_{n}]' }
    on_unknown: match

  - id: secrets.block-live-credential
    title: Live credentials never reach a provider
    stage: pre
    severity: critical
    when:
      all:
        - secrets.types: { any_of: [aws_access_key, github_pat, private_key] }
    then: { action: block, reason: content_policy_violation, detail: live-credential }
    on_unknown: match

  - id: pii.flag-answer
    title: Personal data in an answer is flagged
    stage: post
    severity: low
    when:
      all:
        - pii.count: { gt: 0 }
    then: { action: flag }
    on_unknown: no_match

  - id: tool.block-dangerous
    title: Dangerous tools do not run
    stage: tool
    severity: critical
    when:
      all:
        - tool.name: { tool_any_of: $lists.dangerous_tools }
    then: { action: block, reason: tool_use_blocked, detail: dangerous-tool }
    on_unknown: match
`;
}

const TESTS = `# yaml-language-server: $schema=../_schema/policy-test.v1.json
# {{EMAIL:...}} is text in which an EMAIL has to be found. The detectors of the policy really look; with \`detectors: stub\`
# marks stand for what they find.
# Development only watches, so there everything passes, and the log says what would have happened.
apiVersion: weir/v1
kind: PolicyTest
title: Baseline
environments: [development, staging, production]
defaults:
  app: { name: web }
  model: { name: gpt-4o }

tests:
  # What no call shows: a test with \`settings\` says what the policy has to say.
  - id: texts-are-kept-masked
    settings: { content: redacted }

  - id: clean-prompt-passes
    text: What is the capital of France?
    expect: { action: allow, rules: [] }

  - id: contact-details-are-masked
    text: 'Write to {{EMAIL:bob@acme.org}} or {{PHONE:+1 415 555 0100}}'
    expect:
      action: redact
      rules: [pii.redact-contact]
      text: 'Write to [EMAIL_1] or [PHONE_1]'
    expect@development: { action: allow, rules: [], would_redact: [pii.redact-contact] }

  - id: either-contact-detail-is-masked
    table:
      columns: [contact, sent]
      rows:
        - ['{{EMAIL:bob@acme.org}}', '[EMAIL_1]']
        - ['{{PHONE:+1 415 555 0100}}', '[PHONE_1]']
    text: 'Contact: $contact'
    expect: { action: redact, rules: [pii.redact-contact], text: 'Contact: $sent' }
    expect@development: { action: allow, rules: [], would_redact: [pii.redact-contact] }

  - id: a-caller-can-only-watch-in-staging
    environments: [staging, production]
    monitor_mode: true
    text: 'Write to {{EMAIL:bob@acme.org}}'
    expect: { action: redact, rules: [pii.redact-contact] }
    expect@staging: { action: allow, rules: [], would_redact: [pii.redact-contact] }

  - id: nothing-leaves-unmasked-without-the-detector
    text: hello
    unavailable: [pii]
    expect: { action: block, unavailable: true, rules: [pii.redact-contact] }
    expect@development: { action: allow, rules: [], would_redact: [pii.redact-contact] }

  - id: credentials-are-refused
    text: 'key {{aws_access_key:${['AKIA', 'Z7VRSQLMB2CKXW3T'].join('')}}}'
    expect: { action: block, reason: content_policy_violation, rules: [secrets.block-live-credential] }
    expect@development: { action: allow, rules: [], would_block: [secrets.block-live-credential] }

  - id: each-kind-of-credential-is-refused
    detectors: stub # these samples only stand for credentials
    table:
      columns: [kind]
      rows:
        - [aws_access_key]
        - [github_pat]
        - [private_key]
    text: 'key {{$kind:sample}}'
    expect: { action: block, reason: content_policy_violation, rules: [secrets.block-live-credential] }
    expect@development: { action: allow, rules: [], would_block: [secrets.block-live-credential] }

  - id: credentials-are-refused-without-the-detector
    text: hello
    unavailable: [secrets]
    expect: { action: block, unavailable: true, rules: [secrets.block-live-credential] }
    expect@development: { action: allow, rules: [], would_block: [secrets.block-live-credential] }

  - id: personal-data-in-an-answer
    stage: post
    text: 'Her address is {{EMAIL:ann@acme.org}}'
    expect: { action: allow, rules: [pii.flag-answer] }
    expect@development: { action: allow, rules: [], would_flag: [pii.flag-answer] }

  - id: answers-pass-without-the-detector
    stage: post
    text: Paris
    unavailable: [pii]
    expect: { action: allow, rules: [] }

  - id: clean-answer
    stage: post
    text: Paris
    expect: { action: allow, rules: [] }

  - id: dangerous-tools
    stage: tool
    table:
      columns: [tool]
      rows:
        - [run_shell]
        - [delete_database]
    tool: { name: $tool, args: { query: weather } }
    expect: { action: block, reason: tool_use_blocked, rules: [tool.block-dangerous] }
    expect@development: { action: allow, rules: [], would_block: [tool.block-dangerous] }

  - id: other-tools-run
    stage: tool
    tool: { name: search, args: { query: weather } }
    expect: { action: allow, rules: [] }

  - id: tool-calls-that-cannot-be-read
    stage: tool
    unavailable: [tool-use]
    tool: { name: search, args: { query: weather } }
    expect: { action: block, unavailable: true, rules: [tool.block-dangerous] }
    expect@development: { action: allow, rules: [], would_block: [tool.block-dangerous] }
`;
