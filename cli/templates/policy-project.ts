import { PROJECT_FILE } from '../../src/authoring/index.js';
import { ENVIRONMENTS, type Environment } from '../../src/core/index.js';
import { shortName, type Pack } from '../packs/index.js';

/**
 * The files that `weir init` writes, by path in the policies folder.
 *
 * @param packs rule packs that the policies extend; their tests come with them
 */
export function policyProject(owner: string, packs: readonly Pack[]): Readonly<Record<string, string>> {
  return {
    [PROJECT_FILE]: PROJECT,
    '_shared/organisation.yaml': organisation(owner, packs),
    ...Object.fromEntries(ENVIRONMENTS.map((name) => [`${name}/policy.yaml`, environment(name, owner)])),
    'tests/organisation.test.yaml': packs.length === 0 ? TESTS : TESTS_BESIDE_PACKS,
    ...Object.fromEntries(
      packs.map(({ name, tests }) => [
        `tests/${shortName(name)}.test.yaml`,
        `# yaml-language-server: $schema=../_schema/policy-test.v1.json\n${tests}`,
      ]),
    ),
  };
}

const PROJECT = `# yaml-language-server: $schema=./_schema/project.v1.json
# Read by the weir command. Environments are listed in the order in which changes pass through them.
apiVersion: weir/v1
kind: Project
environments: [development, staging, production]
# The longest time for which an exception may last from now.
max_exception: 90d
`;

const SETTINGS: Readonly<Record<Environment, { about: string; mode: string; client: string }>> = {
  development: {
    about:
      'Development only monitors: every call passes, and the log shows the decision that would have been enforced.',
    mode: 'monitor',
    client: 'honor',
  },
  staging: {
    about: 'Staging enforces; a caller may request that its call is only monitored.',
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
default: allow # the decision on a call that no rule matches
mode: ${mode}
client_monitor_mode: ${client}
content: redacted # the form in which the log stores texts
extends:
  - ../_shared/organisation.yaml
`;
}

function organisation(owner: string, packs: readonly Pack[]): string {
  const bases = packs.length === 0 ? ['weir:baseline@1'] : packs.map(({ name }) => name).sort();
  return `# yaml-language-server: $schema=../_schema/policy.v1.json
# Rules that every environment inherits. A folder whose name starts with "_" is not an environment.
#
# The rules of weir:baseline@1 come with Weir: personal data is masked, live credentials and government ids are refused,
# dangerous tools do not run, likely prompt injection is flagged. A version never changes; "weir fmt --upgrade" moves
# to the newest one. "weir render production --source-map" shows all rules in force.
apiVersion: weir/v1
kind: Policy
metadata: { id: organisation, title: Rules of the organisation, owner: ${owner} }
extends: [${bases.join(', ')}]
${packs.length === 0 ? '' : PACKS_SAY}
# To add entries to an inherited list, name it:
# lists:
#   dangerous_tools: { add: [deploy_to_production] }

# A rule has a stage (pre: the request, post: the answer, tool: each new tool call), a condition, an action, and a
# result for the case that a detector is unavailable (match: fail closed). All rules are evaluated and the strongest
# action wins: block, redact, flag.
rules:
  - id: pii.flag-answer
    title: Personal data in an answer is flagged
    stage: post
    severity: low
    when:
      all:
        - pii.count: { gt: 0 }
    then: { action: flag }
    on_unknown: no_match
`;
}

const PACKS_SAY = `
# Each pack extends the baseline itself. "weir packs show <pack>" prints its rules; its tests are in tests/.
`;

const FIRST_TESTS = `# yaml-language-server: $schema=../_schema/policy-test.v1.json
# The annotation {{EMAIL:...}} means that the detectors of the policy must find an EMAIL in this text. With
# \`detectors: stub\`, the annotations count as findings instead.
# Development only monitors: every call passes, and the log shows the decision that would have been enforced.
apiVersion: weir/v1
kind: PolicyTest
title: Rules of the organisation
environments: [development, staging, production]
defaults:
  app: { name: web }
  model: { name: gpt-4o }

tests:
  # Some settings have no effect on a decision: a test with \`settings\` checks their values.
  - id: texts-are-kept-masked
    settings: { content: redacted }

  - id: clean-prompt-passes
    text: What is the capital of France?
    expect: { action: allow, rules: [] }

  # The rules of the baseline are tested with Weir; these tests check that they are in force here.
  - id: contact-details-are-masked
    text: 'Write to {{EMAIL:bob@acme.org}} or {{PHONE:+1 415 555 0100}}'
    expect:
      action: redact
      rules: [pii.redact-contact]
      text: 'Write to [EMAIL_1] or [PHONE_1]'
    expect@development: { action: allow, rules: [], would_redact: [pii.redact-contact] }
`;

const TESTS = `${FIRST_TESTS}
  - id: government-ids-are-refused
    text: 'My social security number is {{US_SSN:536-22-8726}}'
    expect: { action: block, reason: content_policy_violation, rules: [pii.block-government-id] }
    expect@development: { action: allow, rules: [], would_block: [pii.block-government-id] }

  - id: credentials-are-refused
    text: 'key {{aws_access_key:${['AKIA', 'Z7VRSQLMB2CKXW3T'].join('')}}}'
    expect: { action: block, reason: content_policy_violation, rules: [secrets.block-live-credential] }
    expect@development: { action: allow, rules: [], would_block: [secrets.block-live-credential] }

  - id: credentials-are-refused-without-the-detector
    text: hello
    unavailable: [secrets]
    expect: { action: block, unavailable: true, rules: [secrets.block-live-credential] }
    expect@development: { action: allow, rules: [], would_block: [secrets.block-live-credential] }

  - id: callers-can-request-monitor-mode-in-staging
    environments: [staging, production]
    monitor_mode: true
    text: 'Write to {{EMAIL:bob@acme.org}}'
    expect: { action: redact, rules: [pii.redact-contact] }
    expect@staging: { action: allow, rules: [], would_redact: [pii.redact-contact] }

  - id: dangerous-tools-do-not-run
    stage: tool
    tool: { name: run_shell, args: { query: weather } }
    expect: { action: block, reason: tool_use_blocked, rules: [tool.block-dangerous] }
    expect@development: { action: allow, rules: [], would_block: [tool.block-dangerous] }

  - id: other-tools-run
    stage: tool
    tool: { name: search, args: { query: weather } }
    expect: { action: allow, rules: [] }

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
`;

/** The tests for a project with packs, without texts that packs may judge differently: packs have their own tests for those. */
const TESTS_BESIDE_PACKS = `${FIRST_TESTS}
  - id: personal-data-in-an-answer
    stage: post
    text: 'It is the machine {{pii/MAC_ADDRESS:00:1B:44:11:3A:B7}}'
    expect: { action: allow, rules: [pii.flag-answer] }
    expect@development: { action: allow, rules: [], would_flag: [pii.flag-answer] }

  - id: clean-answer
    stage: post
    text: Paris
    expect: { action: allow, rules: [] }
`;
