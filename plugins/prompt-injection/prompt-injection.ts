import { z } from 'zod';
import { defineDetector, type CodeInfo } from '../../src/core/index.js';
import { INJECTION_EXAMPLES } from './examples.js';
import type { InjectionCode } from './phrase.js';
import { createScan } from './scan.js';
import { MODEL } from './weights.js';

const options = z.strictObject({});
const code = (title: string): CodeInfo => ({ title, enabled: true, minScore: 0.5 });

export const promptInjection = defineDetector<InjectionCode, z.output<typeof options>>({
  meta: {
    id: 'prompt-injection',
    version: '1.0.0',
    revision: 2,
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
  create: (_options, settings) => createScan(settings.codes, MODEL),
});
