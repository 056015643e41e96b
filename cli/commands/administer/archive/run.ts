import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { withArchive } from '../../../server/archive-work.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  weeks: z.array(z.strictObject({ week: z.string(), outcome: z.string() })),
});

const OUTCOMES = {
  archived: 'archived',
  nothing: 'nothing left to archive',
  busy: 'another process is archiving it',
  changing: 'its events are still changing; the next run retries it',
  ending: 'ended early',
} as const;

/** `weir archive run`: archives every week that is due for archiving. */
export const archiveRun = defineCommand({
  usage: 'run',
  summary: 'Move all weeks that are due to the archive',
  output: OUTPUT,

  async run({ json }, { io }) {
    const weeks = await withArchive(io, async (archive) => {
      const done: { week: string; outcome: keyof typeof OUTCOMES }[] = [];
      for await (const each of archive.run()) {
        done.push(each);
        if (!json) await write(io.stdout, `${each.week}  ${OUTCOMES[each.outcome]}\n`);
      }
      return done;
    });
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, weeks })}\n`);
    const archived = weeks.filter(({ outcome }) => outcome === 'archived').length;
    const left = weeks.filter(({ outcome }) => outcome !== 'archived' && outcome !== 'nothing').length;
    const words = `${plural(archived, 'week')} archived${left === 0 ? '' : `, ${left} left for later`}`;
    return { exit: left === 0 ? EXIT.ok : EXIT.pending, words };
  },
});
