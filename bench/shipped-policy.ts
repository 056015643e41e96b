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

/** The checkout, from `bench/` and from `dist/bench/`. */
export function root(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return here.includes(`${join('dist', 'bench')}`) ? join(here, '..', '..') : join(here, '..');
}

/** The production policy that comes with Weir. */
export function shippedPolicy(): CompiledPolicy {
  const folder = join(root(), 'policies');
  const files = ['_shared', 'production'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => ({
      path: `policies/${name}/${file}`,
      text: readFileSync(join(folder, name, file), 'utf8'),
    })),
  );
  const entry = files.map(({ path }) => path).filter((path) => path.startsWith('policies/production/'));
  return compiled(files, entry);
}

/** A policy of one file. */
export function policyOf(text: string): CompiledPolicy {
  const path = 'policies/production/policy.yaml';
  return compiled([{ path, text }], [path]);
}

function compiled(files: readonly { path: string; text: string }[], entry: readonly string[]): CompiledPolicy {
  const { policy, problems } = compilePolicy({ environment: 'production', files, entry, plugins: PLUGINS });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return policy;
}

/** A policy as the service has it in force. */
export function inForce(policy: CompiledPolicy) {
  return {
    policy,
    digest: 'bench',
    version: 'bench',
    detectors: bindDetectors(policy, PLUGINS),
    structures: bindStructures(policy, PLUGINS),
  };
}

/** Who makes the calls that are measured. */
export const CONTEXT: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'app', name: 'bench' },
  key: { id: 'key', name: 'bench' },
};
