import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { runWeir, type WeirOptions, type WeirRun } from './run-weir.js';

export const NOW = '2026-11-21T09:00:00Z';
export const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

/** The temporary folder of the current test; it is set before each test, so specs may read it only inside a test. */
export let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weir-tools-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

export function weir(argv: readonly string[], options: WeirOptions = {}): Promise<WeirRun> {
  return runWeir(argv, { cwd: folder, ...options });
}

export function put(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

export function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** A policy with one rule per stage, so that `weir lint` finds nothing; `more` is appended. */
export function policy(when = '{ pii.types: { any_of: [EMAIL] } }', more = ''): string {
  return `apiVersion: weir/v1
kind: Policy
metadata: { id: example, owner: security@example.com }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
rules:
  - id: a.pre
    stage: pre
    when: ${when}
    then: { action: flag }
  - { id: a.post, stage: post, when: { pii.count: { gt: 0 } }, then: { action: flag } }
  - { id: a.tool, stage: tool, when: { tool.name: rm }, then: { action: flag } }
${more}`;
}

export const CONFIG = `apiVersion: weir/v1
kind: Project
environments: [production]
lint: { levels: { G200: ignore, G201: ignore } }
`;

export function project(text: string, config = CONFIG): void {
  put('policies/weir.config.yaml', config);
  put('policies/production/policy.yaml', text);
}

export const EXCEPTION = (expires: string): string => `exceptions:
  - id: EX-1
    rules: [a.pre]
    because: The contract allows it
    approved_by: dpo@example.com
    ticket: SEC-1
    expires: ${expires}
`;

export const REDUNDANT = `
      all:
        - pii.count: { gt: 0 } # at least one
        - pii.types: { any_of: [EMAIL] }`;

export async function lintCodes(...more: string[]): Promise<string[]> {
  const { stdout } = await weir(['lint', '--json', '--now', NOW, ...more]);
  const { findings } = JSON.parse(stdout) as { findings: { code: string; ignored?: string }[] };
  return findings.filter(({ ignored }) => ignored === undefined).map(({ code }) => code);
}

export function schemaOf(command: string): object {
  return JSON.parse(readFileSync(`docs/reference/schemas/${command}.json`, 'utf8')) as object;
}

export async function jsonOf(argv: readonly string[], command: string): Promise<Record<string, unknown>> {
  const { stdout } = await weir(argv);
  const value = JSON.parse(stdout) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false });
  expect(ajv.validate(schemaOf(command), value) ? [] : ajv.errors).toEqual([]);
  expect(value['schemaVersion']).toBe(1);
  return value;
}
