import { z } from 'zod';
import { readTokenFrom } from '../../../api/connection.js';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { STDIN } from '../../../named-files.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  valid: z
    .boolean()
    .describe('Whether the text has the format of a credential and a correct checksum; no server is asked.'),
  kind: z.enum(['key', 'token']).nullable(),
  live: z.boolean().nullable().describe('Whether the key is for production; null for other credentials.'),
  id: z.string().nullable(),
});

/** `weir keys inspect`: decodes the public parts of a key, without a server and without showing its secret. */
export const keysInspect = defineCommand({
  usage: 'inspect',
  summary: 'Decode a key without a server',
  options: {
    'key-file': textOption('File with the key; default: stdin'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    if (args.keyFile === undefined && io.stdin.isTTY === true) {
      throw usageError('provide the key on stdin, or name its file: weir keys inspect --key-file key.txt');
    }
    const text = await readTokenFrom(args.keyFile ?? STDIN, io);
    const { parseCredential } = await import('../../../../src/access/credential.js');
    const parsed = parseCredential(text);
    const isToken = parsed?.prefix === 'wt_live_';
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      valid: parsed !== null,
      kind: parsed === null ? null : isToken ? 'token' : 'key',
      live: parsed === null || isToken ? null : parsed.prefix === 'sk_live_',
      id: parsed?.id ?? null,
    };
    const what = isToken
      ? 'management token'
      : report.live === true
        ? 'key for production'
        : 'key for development or staging';
    const line =
      parsed === null ? 'not a Weir credential, or mistyped\n' : `${what}, id ${parsed.id}, checksum correct\n`;
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : line);
    return parsed === null
      ? { exit: EXIT.findings, words: 'not a Weir credential: mistyped, truncated, or of another service' }
      : {
          exit: EXIT.ok,
          words: 'the checksum is correct; only a server can tell whether the credential is still valid',
        };
  },
});
