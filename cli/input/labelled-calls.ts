import { z } from 'zod';
import type { SequenceCall, ToolSequence } from '../../src/authoring/index.js';
import { usageError } from '../exit-code.js';
import type { JsonLine } from './json-lines.js';
import { wrongField } from './wrong-field.js';

const call = z.object({
  name: z.string(),
  args: z.record(z.string(), z.json()).nullish(),
  phase: z.enum(['user', 'attacker']).optional(),
});
const record = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  context: z.object({ user: z.string().optional(), tool_result: z.string().optional() }).optional(),
  calls: z.array(call),
  label: z.enum(['attack', 'benign']).optional(),
});

/** A line of a corpus of tool calls: the sequence, and its size in bytes. */
export interface CorpusSequence extends ToolSequence {
  readonly bytes: number;
}

/** Whether a line of a corpus contains tool calls instead of a text. */
export function isToolSequence({ value }: JsonLine): boolean {
  return typeof value === 'object' && value !== null && 'calls' in value && !('text' in value);
}

/**
 * Reads `{id, context: {user, tool_result}, calls: [{name, args, phase}], label: attack | benign}`. In an attack, only
 * the calls of phase `attacker`, if any, count as detectable; `tool_result` is the result of the call before the first
 * of them.
 *
 * @throws CliError (exit 2) naming the line and the field
 */
export function readLabelledCalls(line: JsonLine): CorpusSequence {
  const parsed = record.safeParse(line.value);
  if (!parsed.success) {
    throw usageError(
      `${line.place} is not a labelled list of tool calls: "${wrongField(parsed.error)}" is missing or wrong`,
    );
  }
  const { id = line.number, context, calls, label } = parsed.data;
  const firstAttack = calls.findIndex(({ phase }) => phase === 'attacker');
  const returned = firstAttack === -1 ? calls.length - 1 : firstAttack - 1;
  return {
    id,
    ...(context?.user === undefined ? {} : { user: context.user }),
    calls: calls.map(({ name, args, phase }, index): SequenceCall => ({
      name,
      ...(args === null || args === undefined ? {} : { args: args }),
      ...(index === returned && context?.tool_result !== undefined ? { result: context.tool_result } : {}),
      counts: firstAttack === -1 || phase === 'attacker',
    })),
    ...(label === undefined ? {} : { positive: label === 'attack' }),
    bytes: line.bytes,
  };
}
