import { compilePolicy, type CompileResult } from '../compile-policy.js';
import type { CompiledPolicy, Environment } from '../../model/compiled-policy.js';
import { formatProblems } from '../format-problems.js';
import { PLUGINS } from './plugins.js';

export const FILE = 'policies/production/policy.yaml';

/** The head of an environment's policy, to which a test appends further parts. */
export function head(extra = '', environment: Environment = 'production'): string {
  return `apiVersion: weir/v1
kind: Policy
metadata: { id: sample, title: A sample, owner: security@acme.example }
environment: ${environment}
default: allow
${extra}`;
}

export const DETECTORS = `detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
  prompt_injection: { plugin: prompt-injection }
`;

export function compileText(text: string, environment: Environment = 'production'): CompileResult {
  return compilePolicy({ environment, files: [{ path: FILE, text }], plugins: PLUGINS });
}

/** Compiles several files; keys are paths below `policies/`. */
export function compileFiles(
  files: Readonly<Record<string, string>>,
  environment: Environment = 'production',
): CompileResult {
  const list = Object.entries(files).map(([path, text]) => ({ path: `policies/${path}`, text }));
  return compilePolicy({ environment, files: list, plugins: PLUGINS });
}

/** The compiled policy; throws with the problems if there are any. */
export function policyOf(text: string, environment: Environment = 'production'): CompiledPolicy {
  return must(compileText(text, environment), text);
}

export function must(result: CompileResult, text = ''): CompiledPolicy {
  if (result.policy === undefined) throw new Error(formatProblems(result.problems, new Map([[FILE, text]])));
  return result.policy;
}

/** A policy with one rule, `t`, over one condition, written as a YAML flow value. */
export function oneRule(
  when: string,
  { stage = 'pre', onUnknown = 'match', more = '', action = 'block' } = {},
): string {
  return `${head()}${DETECTORS}${more}
rules:
  - id: t
    stage: ${stage}
    when: ${when}
    then: { action: ${action} }
    on_unknown: ${onUnknown}
`;
}
