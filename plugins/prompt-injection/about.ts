/**
 * The detector `prompt-injection`: phrases, structure and a small linear model. Its weights are part of the code; nothing is
 * downloaded.
 */
import { z } from 'zod';
import type { CodeInfo, DetectorMeta } from '../../src/core/plugin-api.js';
import type { InjectionCode } from './phrase.js';

const options = z.strictObject({});
const code = (title: string): CodeInfo => ({ title, enabled: true, minScore: 0.5 });

/** The detector's description without its code, which is enough to compile policies. */
export const ABOUT = {
  id: 'prompt-injection',
  version: '1.0.0',
  revision: 10,
  family: 'prompt_injection',
  summary:
    'Finds text that tries to give a model orders: overrides, jailbreaks, prompt theft, hidden and encoded commands.',
  codes: {
    instruction_override: code('Tells the model to drop or replace its instructions'),
    role_play_jailbreak: code('Assigns the model a role in which its rules do not apply'),
    prompt_leak: code('Asks for the system prompt or a secret in it'),
    encoded_payload: code('Attack encoded in base64, hexadecimal, rot13 or similar'),
    tool_hijack: code('Addresses the model from inside a document or tool result'),
  },
  options,
} satisfies Omit<DetectorMeta<InjectionCode, z.output<typeof options>>, 'reach' | 'examples'>;
