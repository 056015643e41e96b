/** The commands `weir archive …`, which use the database and the archive of the server's settings. They need no running server. */
import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { PART, PART_OPTIONS, partOutput, partSelection } from '../../../server/archive-parts.js';
import { withArchive } from '../../../server/archive-work.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), parts: z.array(PART), more: z.boolean() });
const KIBIBYTE = 1_024;

/** `weir archive list`: lists the parts of the archive. */
export const archiveList = defineCommand({
  usage: 'list',
  summary: 'List archived parts, oldest first',
  options: { ...PART_OPTIONS, ...LIMIT_OPTION },
  output: OUTPUT,

  async run({ json, limit, ...args }, { io }) {
    const chosen = partSelection(args);
    const found = await withArchive(io, (archive) => archive.parts(chosen));
    const { rows, more } = limited(found, { limit });
    const parts = rows.map(partOutput);
    const lines = parts.map(({ id, week, account, environment, events, bytes, keepUntil }) => {
      const place = keepUntil === null ? `${Math.ceil(bytes / KIBIBYTE)} KiB` : `in the database until ${keepUntil}`;
      return `${week}  ${account}  ${environment}  ${plural(events, 'event')}  ${place}  ${id}\n`;
    });
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, parts, more })}\n` : lines.join(''));
    const events = parts.filter(({ state }) => state === 'archived').reduce((sum, part) => sum + part.events, 0);
    return {
      exit: EXIT.ok,
      words: `${plural(parts.length, 'part')}, ${plural(events, 'event')} archived${andMore(more)}`,
    };
  },
});
