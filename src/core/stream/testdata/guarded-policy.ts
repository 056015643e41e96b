import { z } from 'zod';
import { bindDetectors, type BoundDetector } from '../../detection/bind.js';
import { defineDetector } from '../../detection/detector.js';
import { compilePatterns } from '../../detection/engine/compile-patterns.js';
import type { Pattern } from '../../detection/engine/pattern.js';
import type { StructurePlugin } from '../../detection/structure.js';
import type { FactDefinition } from '../../model/fact.js';
import { compilePolicy } from '../../policy/compile-policy.js';
import type { CompiledPolicy } from '../../model/compiled-policy.js';
import { formatProblems } from '../../policy/format-problems.js';

type Code = 'TICKET' | 'MAIL' | 'PIN' | 'STOP';

const PATTERNS: readonly Pattern<Code>[] = [
  {
    code: 'TICKET',
    regex: /(?<![A-Za-z0-9])TK-\d{3,5}(?!\d)/,
    trigger: { on: 'literals', literals: ['TK-'] },
    score: 0.9,
  },
  { code: 'MAIL', regex: /[a-z]{1,6}@[a-z]{2,6}/, trigger: { on: 'literals', literals: ['@'], before: 6 }, score: 0.9 },
  {
    code: 'PIN',
    regex: /(?<!\d)\d{4}(?!\d)/,
    trigger: { on: 'token', token: 'digit' },
    score: 0.2,
    context: { words: ['pin'], windowUnits: 6 },
  },
  { code: 'STOP', regex: /never say/, trigger: { on: 'literals', literals: ['never'] }, score: 1 },
];
const info = (title: string) => ({ title, enabled: true, minScore: 0.5 });

const marks = defineDetector<Code, Record<string, never>>({
  meta: {
    id: 'marks',
    version: '1.0.0',
    revision: 1,
    family: 'content',
    summary: 'Finds marks.',
    codes: { TICKET: info('a ticket'), MAIL: info('an address'), PIN: info('a pin'), STOP: info('a stop') },
    reach: 'whole_text',
    options: z.strictObject({}),
    examples: [],
  },
  create: (_options, settings) => compilePatterns(PATTERNS, settings),
});

const fact = (name: string, type: FactDefinition['type']): FactDefinition => ({
  ...{ name, type, stages: ['tool'], optional: false, summary: 'A fact about several calls.', clientControlled: false },
});

/** Names the facts that compare several calls; `guard` does not read them, so they are unknown. */
const calls: StructurePlugin = {
  kind: 'structure',
  meta: { id: 'tool-use', version: '1.0.0', revision: 1, summary: 'Reads nothing.', options: z.unknown() },
  facts: [fact('flow', 'flow'), fact('recent.tool_calls_1m', 'integer'), fact('recent.same_tool_calls_1h', 'integer')],
  read: () => ({}),
};

/** A policy over the detector `marks`, and its detectors. */
export function guardedPolicy(rules: string): { policy: CompiledPolicy; detectors: readonly BoundDetector[] } {
  const plugins = { detectors: [marks], structures: [calls], ledgers: [] };
  const path = 'policies/production/policy.yaml';
  const text = `apiVersion: weir/v1
kind: Policy
metadata: { id: sample, title: A sample, owner: security@acme.example }
environment: production
default: allow
detectors:
  marks: { plugin: marks@^1 }
rules:
${rules}`;
  const { policy, problems } = compilePolicy({ environment: 'production', files: [{ path, text }], plugins });
  if (policy === undefined) throw new Error(formatProblems(problems, new Map([[path, text]])));
  return { policy, detectors: bindDetectors(policy, plugins) };
}

/** A rule that masks these codes. */
export function masks(id: string, codes: readonly string[], when: string, stage = 'post'): string {
  return `  - id: ${id}
    stage: ${stage}
    when: ${when}
    then: { action: redact, redact: { entities: [${codes.join(', ')}], with: '[{type}]' } }
    on_unknown: match
`;
}
