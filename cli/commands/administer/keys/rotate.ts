import { z } from 'zod';
import { KEY, SECRET } from '../../../access/answers.js';
import { Management } from '../../../access/management.js';
import { deliverSecret, SECRET_OPTION } from '../../../access/secret-output.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { spanMs } from '../../../input/span.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), key: KEY, secret: SECRET, old: KEY });

/** `weir keys rotate`: creates a new key to replace another one; both work for a while. */
export const keysRotate = defineCommand({
  usage: 'rotate <id>',
  summary: 'Replace a key; both keys work for a while',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Public id of the key to replace' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...SECRET_OPTION,
    'delete-old-after': textOption('Time for which the old key stays valid, such as 24h; default: until it is deleted'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const afterMs = args.deleteOldAfter === undefined ? undefined : spanMs(args.deleteOldAfter, '--delete-old-after');
    const management = await Management.of(args, io);
    const existing = await management.key(args.id);
    const overlap = afterMs === undefined ? {} : { delete_old_after_seconds: Math.ceil(afterMs / 1_000) };
    const { key, old, where } = await deliverSecret(args, io, {
      create: () => management.rotateKey(existing, overlap),
      report: (created, secret) => ({ schemaVersion: 1, key: created.key, secret, old: created.old }),
      deletion: (created) => `weir keys delete ${created.key.id}`,
    });
    const end =
      old.expires_at === null ? `works until you run weir keys delete ${old.id}` : `works until ${old.expires_at}`;
    return { exit: EXIT.ok, words: `key ${key.id} is created, ${where}; the old key ${end}` };
  },
});
