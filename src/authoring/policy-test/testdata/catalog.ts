import { z } from 'zod';
import {
  defineDetector,
  type AnyDetector,
  type CodeInfo,
  type FactValue,
  type PluginCatalog,
  type StructurePlugin,
  type ToolCall,
} from '../../../core/index.js';
import { budget } from '../../../core/policy/testdata/plugins.js';

/** A detector for tests of the runner, which finds the words of a small dictionary. */
function wordDetector<Code extends string>(
  id: string,
  family: 'personal_data' | 'secret' | 'prompt_injection',
  words: Record<Code, string>,
): AnyDetector {
  const codes = Object.keys(words) as Code[];
  const info = {} as Record<Code, CodeInfo>;
  for (const code of codes) info[code] = { title: code, enabled: true, minScore: 0.5 };
  return defineDetector<Code, Record<string, unknown>>({
    meta: {
      id,
      version: '1.2.0',
      revision: 1,
      family,
      summary: 'Finds the words of a test.',
      codes: info,
      reach: 'whole_text',
      options: z.looseObject({}),
      examples: [],
    },
    create:
      (_, { codes: wanted }) =>
      (text) =>
        codes
          .filter((code) => wanted.has(code))
          .flatMap((code) =>
            [...text.matchAll(new RegExp(words[code], 'g'))].map(({ index, 0: found }) => ({
              code,
              start: index,
              end: index + found.length,
              score: 0.9,
            })),
          ),
  });
}

const call = ({ name, args }: ToolCall): FactValue => ({ name, args: (args ?? null) as FactValue });

const tools: StructurePlugin = {
  kind: 'structure',
  meta: { id: 'tool-use', version: '1.0.0', revision: 1, summary: 'Reads tool calls.', options: z.looseObject({}) },
  facts: [
    { name: 'tool.name', type: 'string', stages: ['tool'], summary: 'Tool.', optional: false, clientControlled: false },
    { name: 'tool.args.*', type: 'any', stages: ['tool'], summary: 'Args.', optional: true, clientControlled: false },
    {
      name: 'tool_calls',
      type: 'tool_calls',
      stages: ['tool'],
      summary: 'Calls.',
      optional: false,
      clientControlled: false,
    },
  ],
  read: (decoded, { toolCall }) => ({
    tool_calls: decoded.newToolCalls.map(call),
    ...(toolCall === undefined ? {} : { tool: call(toolCall) }),
  }),
};

export const CATALOG: PluginCatalog = {
  detectors: [
    wordDetector('pii', 'personal_data', {
      EMAIL: '\\w+@\\w+\\.example',
      PHONE: '\\+1 415 555 0100',
      IBAN: 'DE89370400440532013000',
      US_SSN: '078-05-1120',
      PASSPORT: 'C01X00T47',
    }),
    wordDetector('secrets', 'secret', {
      aws_access_key: 'AKIA\\w+',
      github_pat: 'ghp_\\w+',
      private_key: 'BEGIN KEY',
      generic_secret: 'password=\\w+',
    }),
    wordDetector('prompt-injection', 'prompt_injection', { instruction_override: 'ignore all previous' }),
  ],
  structures: [tools],
  ledgers: [budget],
};
