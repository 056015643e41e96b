import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLUGINS } from '../plugins/index.js';
import {
  bindDetectors,
  bindStructures,
  compilePolicy,
  type CallContext,
  type CompiledPolicy,
} from '../src/core/index.js';

/** The root folder of the checkout, whether this file runs from `bench/` or from `dist/bench/`. */
export function root(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return here.includes(`${join('dist', 'bench')}`) ? join(here, '..', '..') : join(here, '..');
}

/** The shipped production policy. @param folder of a copy of the shipped policies */
export function shippedPolicy(folder = join(root(), 'policies')): CompiledPolicy {
  const files = ['_shared', 'production'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => ({
      path: `policies/${name}/${file}`,
      text: readFileSync(join(folder, name, file), 'utf8'),
    })),
  );
  const entry = files.map(({ path }) => path).filter((path) => path.startsWith('policies/production/'));
  return compiled(files, entry);
}

/** Compiles a policy of one file. */
export function policyOf(text: string): CompiledPolicy {
  const path = 'policies/production/policy.yaml';
  return compiled([{ path, text }], [path]);
}

function compiled(files: readonly { path: string; text: string }[], entry: readonly string[]): CompiledPolicy {
  const { policy, problems } = compilePolicy({ environment: 'production', files, entry, plugins: PLUGINS });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return policy;
}

/** A policy in the form in which the service keeps its active policy. */
export function inForce(policy: CompiledPolicy) {
  return {
    policy,
    digest: 'bench',
    version: 'bench',
    detectors: bindDetectors(policy, PLUGINS),
    structures: bindStructures(policy, PLUGINS),
  };
}

/** The caller of all measured calls. */
export const CONTEXT: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'app', name: 'bench' },
  key: { id: 'key', name: 'bench' },
};
