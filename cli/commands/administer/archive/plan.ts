import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { withArchive } from '../../../server/archive-work.js';

const WEEK = z.strictObject({
  week: z.string().describe('Monday, 00:00 UTC.'),
  state: z.enum(['due', 'later', 'restored']),
  events: z.number().describe('Number of events in the week, as estimated by the database.'),
  bytes: z.number(),
});
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), weeks: z.array(WEEK) });

const MEBIBYTE = 1_048_576;
const STATES = { due: 'due', later: 'not due yet', restored: 'restored; not archived again yet' } as const;

/** `weir archive plan`: lists the weeks of the log and marks those that are due for archiving. */
export const archivePlan = defineCommand({
  usage: 'plan',
  summary: 'Show the weeks of the log that are due for archiving',
  output: OUTPUT,

  async run({ json }, { io }) {
    const weeks = await withArchive(io, (archive) => archive.plan());
    const lines = weeks.map(
      ({ week, state, events, bytes }) =>
        `${week}  about ${plural(Math.round(events), 'event')}, ${(bytes / MEBIBYTE).toFixed(1)} MiB: ${STATES[state]}\n`,
    );
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, weeks })}\n` : lines.join(''));
    const due = weeks.filter(({ state }) => state === 'due').length;
    return { exit: due > 0 ? EXIT.pending : EXIT.ok, words: `${plural(due, 'week')} due` };
  },
});
