import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { dayOf, PART_OPTIONS, partSelection } from '../../../server/archive-parts.js';
import { withArchive } from '../../../server/archive-work.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  parts: z.number().describe('Number of parts that were read.'),
  problems: z.array(z.strictObject({ id: z.string(), week: z.string(), problem: z.string() })),
  unknownObjects: z.array(z.string()).describe('Keys of archive objects without a record in the database.'),
});

/** `weir archive verify`: reads every part of the archive and verifies its content. */
export const archiveVerify = defineCommand({
  usage: 'verify',
  summary: 'Read archived parts back and verify their content',
  options: PART_OPTIONS,
  output: OUTPUT,

  async run({ json, ...args }, { io }) {
    const chosen = partSelection(args);
    const report = await withArchive(io, async (archive) => {
      const parts = (await archive.parts(chosen)).filter(({ state }) => state === 'archived');
      const problems: { id: string; week: string; problem: string }[] = [];
      for (const part of parts) {
        const problem = await archive.verify(part);
        if (problem !== undefined) problems.push({ id: part.id, week: dayOf(part), problem });
      }
      return { parts: parts.length, problems, unknownObjects: await archive.unknownObjects() };
    });
    const { parts, problems, unknownObjects } = report;
    const lines = [
      ...problems.map(({ week, problem }) => `${week}  ${problem}\n`),
      ...unknownObjects.map((key) => `unknown object: ${key}\n`),
    ];
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, ...report })}\n` : lines.join(''));
    const words =
      problems.length === 0
        ? `${plural(parts, 'part')} verified`
        : `${problems.length} of ${parts} parts are damaged or missing`;
    return { exit: problems.length === 0 ? EXIT.ok : EXIT.findings, words };
  },
});
