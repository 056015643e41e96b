import { z } from 'zod';
import {
  compilePatterns,
  defineDetector,
  resolveOverlaps,
  type CodeInfo,
  type Finding,
  type Scan,
} from '../../src/core/index.js';
import { INJECTION_EXAMPLES } from './examples.js';
import { decodeRuns, respellings } from './decode.js';
import type { InjectionCode, PhrasePattern } from './phrase.js';
import { HIJACK_PHRASES } from './phrases-hijack.js';
import { JAILBREAK_PHRASES } from './phrases-jailbreak.js';
import { LEAK_PHRASES } from './phrases-leak.js';
import { OVERRIDE_PHRASES } from './phrases-override.js';

export const PHRASES: readonly PhrasePattern[] = [
  ...OVERRIDE_PHRASES,
  ...JAILBREAK_PHRASES,
  ...LEAK_PHRASES,
  ...HIJACK_PHRASES,
];

const options = z.strictObject({});
const code = (title: string): CodeInfo => ({ title, enabled: true, minScore: 0.5 });

export const promptInjection = defineDetector<InjectionCode, z.output<typeof options>>({
  meta: {
    id: 'prompt-injection',
    version: '1.0.0',
    revision: 1,
    family: 'prompt_injection',
    summary:
      'Finds text that tries to give a model orders: overrides, jailbreaks, prompt theft, hidden and encoded commands.',
    codes: {
      instruction_override: code('Tells the model to drop or replace its instructions'),
      role_play_jailbreak: code('Gives the model a part to play in which its rules do not hold'),
      prompt_leak: code('Asks for the system prompt or a secret it holds'),
      encoded_payload: code('One of these in base64, hexadecimal, rot13 or the like'),
      tool_hijack: code('Speaks to the model from inside a document or tool result'),
    },
    reach: 'whole_text',
    options,
    examples: INJECTION_EXAMPLES,
  },
  create: (_options, settings) => createScan(settings.codes),
});

const RULE_CODES: ReadonlySet<InjectionCode> = new Set(PHRASES.map((pattern) => pattern.code));

function createScan(codes: ReadonlySet<InjectionCode>): Scan<InjectionCode> {
  const phrases = compilePatterns(PHRASES, { codes: RULE_CODES, normalise: { stripAccents: true } });
  return (text) => {
    const findings: Finding<InjectionCode>[] = phrases(text).filter((finding) => codes.has(finding.code));
    if (codes.has('encoded_payload')) findings.push(...encoded(text, phrases));
    return resolveOverlaps(findings);
  };
}

function encoded(text: string, phrases: Scan<InjectionCode>): Finding<InjectionCode>[] {
  const findings: Finding<InjectionCode>[] = [];
  for (const run of decodeRuns(text)) {
    const score = strongest(phrases(run.text));
    if (score > 0)
      findings.push({ code: 'encoded_payload', start: run.start, end: run.end, score: Math.min(1, score + 0.1) });
  }
  const plain = strongest(phrases(text));
  for (const spelling of respellings(text)) {
    const score = strongest(phrases(spelling));
    if (score > plain) findings.push({ code: 'encoded_payload', start: 0, end: text.length, score });
  }
  return findings;
}

function strongest(findings: readonly Finding[]): number {
  return findings.reduce((most, { score }) => Math.max(most, score), 0);
}
