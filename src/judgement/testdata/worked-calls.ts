/**
 * A policy, its detector and calls as the specs of judging use them. The detector finds two made-up words, neither of
 * which may remain in masked text.
 */
import { z } from 'zod';
import { toolUse } from '../../../plugins/tool-use/tool-use.js';
import {
  bindDetectors,
  bindStructures,
  compilePolicy,
  decodeAnswer,
  decodeRequest,
  defineDetector,
  parseJson,
  type CallContext,
  type PluginCatalog,
} from '../../core/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';
import { JudgementService } from '../judgement.service.js';

export const SECRET_WORD = 'zanzibar';
export const NAME_WORD = 'quixote';

/** Finds two words; a text with "faulty" in it makes it throw, quoting the text. */
const words = defineDetector({
  meta: {
    id: 'words',
    version: '1.0.0',
    revision: 7,
    family: 'secret',
    summary: 'Finds two words.',
    codes: {
      SECRET: { title: 'the secret word', enabled: true, minScore: 0 },
      NAME: { title: 'the name', enabled: true, minScore: 0 },
    },
    reach: { behind: 0, ahead: 8 },
    options: z.strictObject({}),
    examples: [],
  },
  create: () => (text) => {
    if (text.includes('faulty')) throw new Error(`cannot read ${text}`);
    return [SECRET_WORD, NAME_WORD].flatMap((word) =>
      [...text.matchAll(new RegExp(word, 'g'))].map((match) => ({
        code: word === SECRET_WORD ? ('SECRET' as const) : ('NAME' as const),
        start: match.index,
        end: match.index + word.length,
        score: 1,
      })),
    );
  },
});
export const plugins: PluginCatalog = { detectors: [words], structures: [toolUse], ledgers: [] };

export function policy(over: { head?: string; mode?: string } = {}): ActivePolicy {
  const text = `
apiVersion: weir/v1
kind: Policy
metadata: { id: production, title: Test policy, owner: security@example.com }
environment: production
default: allow
mode: ${over.mode ?? 'enforce'}
${over.head ?? 'client_monitor_mode: ignore'}
detectors:
  words: { plugin: words@^1, timeout_ms: 1000 }
rules:
  - id: words.block-secret
    title: The secret word stays here
    stage: pre
    severity: critical
    when: { all: [{ words.types: { any_of: [SECRET] } }] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
  - id: words.redact-name
    title: The name is masked
    stage: pre
    severity: medium
    when: { all: [{ words.types: { any_of: [NAME] } }] }
    then: { action: redact, redact: { entities: [NAME], with: "[{type}_{n}]", label: contains_name } }
    on_unknown: match
  - id: words.redact-answer
    title: The secret word is masked in answers
    stage: post
    severity: high
    when: { all: [{ words.types: { any_of: [SECRET] } }] }
    then: { action: redact, redact: { entities: [SECRET], with: "[{type}]" } }
    on_unknown: match
  - id: tool.block-shell
    title: No shell
    stage: tool
    severity: critical
    when: { all: [{ tool.name: { eq: run_shell } }] }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;
  const compiled = compilePolicy({
    environment: 'production',
    files: [{ path: 'production/policy.yaml', text }],
    plugins,
  });
  expect(compiled.problems.filter((problem) => problem.level === 'error')).toEqual([]);
  const active = compiled.policy!;
  return {
    policy: active,
    digest: 'd'.repeat(64),
    version: '1',
    detectors: bindDetectors(active, plugins),
    structures: bindStructures(active, plugins),
  };
}

export const context: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'app-1', name: 'web' },
  key: { id: 'key-1', name: 'first' },
  metadata: { team: 'search', note: SECRET_WORD },
};
export const service = new JudgementService({ nowMs: () => Date.UTC(2026, 0, 1), monotonicMs: () => 0 });

export function request(...contents: string[]) {
  const doc = parseJson(JSON.stringify({ messages: contents.map((content) => ({ role: 'user', content })) }));
  return { doc, call: decodeRequest('openai.chat', doc) };
}

export function answer(message: object) {
  const doc = parseJson(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', ...message } }] }));
  return { doc, call: decodeAnswer('openai.chat', doc) };
}

export const shellCall = { id: 'c1', type: 'function', function: { name: 'run_shell', arguments: '{"cmd":"ls"}' } };
export const harmlessCall = { id: 'c0', type: 'function', function: { name: 'search', arguments: '{"q":"news"}' } };
