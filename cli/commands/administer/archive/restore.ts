import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { usageError } from '../../../exit-code.js';
import { PART_OPTIONS, partSelection } from '../../../server/archive-parts.js';
import { withArchive } from '../../../server/archive-work.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), parts: z.number(), events: z.number() });
const MOST_DAYS = 3_650;

/** `weir archive restore`: moves archived events back into the log. */
export const archiveRestore = defineCommand({
  usage: 'restore [part]',
  summary: 'Move archived events back into the database',
  positionals: { part: { type: 'string', describe: 'Part id; default: all parts that --week and --account select' } },
  options: {
    ...PART_OPTIONS,
    days: { type: 'number', default: 30, describe: 'Days until the week may be archived again' },
  },
  examples: [['$0 archive restore --week 2026-01-05 --days 14', 'restores one week for two weeks']],
  output: OUTPUT,

  async run({ json, part: id, days, ...args }, { io }) {
    const chosen = partSelection(args);
    if (id === undefined && args.week === undefined) throw usageError('name a part, or a week with --week');
    if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) throw usageError(`--days takes 1 to ${MOST_DAYS}`);
    const restored = await withArchive(io, async (archive) => {
      const parts = (await archive.parts(chosen)).filter(
        (part) => part.state === 'archived' && (id === undefined || part.id === id),
      );
      if (parts.length === 0) throw usageError('there is no such part in the archive');
      for (const part of parts) await archive.restore(part, days);
      return parts;
    });
    const events = restored.reduce((sum, part) => sum + part.events, 0);
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, parts: restored.length, events })}\n`);
    return { exit: EXIT.ok, words: `${plural(events, 'event')} of ${plural(restored.length, 'part')} restored` };
  },
});
