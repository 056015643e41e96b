import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CATALOG } from '../../src/authoring/policy-test/testdata/catalog.js';
import { runWeir, type WeirOptions, type WeirRun } from './run-weir.js';

export const BASELINE = `apiVersion: weir/v1
kind: Policy
metadata: { id: baseline, owner: security@acme.example }
default: allow
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
  prompt_injection: { plugin: prompt-injection@^1 }
lists:
  dangerous: [run_shell, delete_database]
conditions:
  suspicious:
    any:
      - prompt_injection.score: { gte: 0.8 }
      - secrets.count: { gt: 0 }
rules:
  - id: pii.mask-contact
    title: Contact details are masked
    stage: pre
    severity: medium
    when: { all: [{ pii.types: { any_of: [EMAIL, PHONE] } }] }
    then: { action: redact, redact: { entities: [EMAIL, PHONE] } }
    on_unknown: match
  - id: secrets.block
    title: No credential leaves
    stage: pre
    severity: critical
    when: { all: [{ secrets.types: { any_of: [aws_access_key, github_pat] } }] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
  - id: tool.block-dangerous
    title: No dangerous tool after something suspicious
    stage: tool
    severity: high
    when:
      all:
        - tool.name: { in: $lists.dangerous }
        - use: suspicious
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;

export const PRODUCTION = `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@acme.example }
environment: production
default: allow
client_monitor_mode: ignore
extends: [../_shared/baseline.yaml]
overrides:
  - rule: pii.mask-contact
    because: Production masks account numbers too (SEC-1)
    set:
      then.redact.entities: { add: [IBAN] }
      when.all.0.pii.types: { any_of: [EMAIL, PHONE, IBAN] }
exceptions:
  - id: EX-1
    rules: [secrets.block]
    when: { app.name: vault }
    because: The vault handles credentials
    approved_by: dpo@acme.example
    ticket: SEC-2
    expires: 2031-01-01T00:00:00Z
`;

export const STAGING = `apiVersion: weir/v1
kind: Policy
metadata: { id: staging, owner: security@acme.example }
environment: staging
default: allow
client_monitor_mode: honor
extends: [../_shared/baseline.yaml]
`;

export const TESTS = `apiVersion: weir/v1
kind: PolicyTest
environments: [staging, production]
clock: 2026-11-21T09:00:00Z
defaults: { app: { name: web }, model: { name: gpt-4o } }
tests:
  - id: clean-text-passes
    text: What is the capital of France?
    expect: { action: allow, rules: [] }
  - id: contact-is-masked
    text: 'Write to {{EMAIL:bob@corp.example}} or {{PHONE:+1 415 555 0100}}'
    expect: { action: redact, rules: [pii.mask-contact], text: 'Write to [EMAIL_1] or [PHONE_1]' }
  - id: iban-is-masked-in-production
    text: 'Pay {{IBAN:DE89370400440532013000}}'
    expect: { action: redact, rules: [pii.mask-contact], text: 'Pay [IBAN_1]' }
    expect@staging: { action: allow, rules: [] }
  - id: credential-is-refused
    table:
      columns: [code, sample]
      rows: [[aws_access_key, AKIAxxxx], [github_pat, ghp_xxxx]]
    text: 'key {{$code:$sample}}'
    expect: { action: block, reason: content_policy_violation, rules: [secrets.block] }
  - id: vault-may-send-credentials
    environments: [production]
    app: { name: vault }
    text: 'key {{github_pat:ghp_xxxx}}'
    expect: { action: allow, rules: [], would_block: [secrets.block], exceptions: [EX-1] }
  - id: detector-down
    text: hello
    unavailable: [secrets]
    expect: { action: block, unavailable: true, rules: [secrets.block] }
  - id: dangerous-tool-after-injection
    stage: tool
    text: hello
    tool: { name: run_shell, args: { command: ls } }
    facts: { prompt_injection: { score: 0.9 } }
    expect: { action: block, reason: tool_use_blocked, rules: [tool.block-dangerous] }
`;

/** The files of a small policies folder, by path below it. */
export const FILES: Readonly<Record<string, string>> = {
  'weir.config.yaml': 'apiVersion: weir/v1\nkind: Project\nenvironments: [staging, production]\n',
  '_shared/baseline.yaml': BASELINE,
  'production/policy.yaml': PRODUCTION,
  'staging/policy.yaml': STAGING,
  'tests/all.test.yaml': TESTS,
};

/** A temporary folder that holds `policies`, and `weir` running in it with the detectors of the test catalog. */
export class PoliciesFolder {
  private constructor(readonly root: string) {}

  static async create(files: Readonly<Record<string, string>> = FILES): Promise<PoliciesFolder> {
    const folder = new PoliciesFolder(await mkdtemp(path.join(tmpdir(), 'weir-policies-')));
    for (const [name, text] of Object.entries(files)) await folder.write(name, text);
    return folder;
  }

  async write(name: string, text: string): Promise<void> {
    const file = path.join(this.root, 'policies', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  async edit(name: string, from: string | RegExp, to: string): Promise<void> {
    const file = path.join(this.root, 'policies', name);
    const before = await readFile(file, 'utf8');
    const after = before.replace(from, to);
    if (after === before) throw new Error(`nothing to edit in ${name}`);
    await writeFile(file, after);
  }

  async delete(name: string): Promise<void> {
    await rm(path.join(this.root, 'policies', name), { recursive: true });
  }

  read(name: string): Promise<string> {
    return readFile(path.join(this.root, 'policies', name), 'utf8');
  }

  git(...args: readonly string[]): void {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@acme.example', '-c', 'commit.gpgsign=false'];
    // Without a second process after each commit, which would look for something to tidy.
    execFileSync('git', [...identity, '-c', 'maintenance.auto=false', ...args], { cwd: this.root, stdio: 'pipe' });
  }

  /** Initialises a Git repository in the folder and commits all files. */
  commit(): void {
    this.git('init', '--quiet', '--template=', '--initial-branch=main');
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'base');
  }

  weir(argv: readonly string[], options: WeirOptions = {}): Promise<WeirRun> {
    return runWeir(argv, { cwd: this.root, catalog: CATALOG, ...options });
  }

  remove(): Promise<void> {
    return rm(this.root, { recursive: true, force: true });
  }
}
