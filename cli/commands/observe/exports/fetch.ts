import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { EXPORT, ExportClient, type Export } from '../../../exports/export-client.js';
import { ExportProgress } from '../../../exports/export-progress.js';
import { fetchFile } from '../../../exports/fetch-file.js';
import { write } from '../../../io.js';
import { withNewFile } from '../../../named-files.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), export: EXPORT, file: z.string() });

/** `weir exports fetch`: waits for an export and downloads its file, with resumption after interruptions. */
export const exportsFetch = defineCommand({
  usage: 'fetch <id>',
  summary: 'Download the file of an export; an interrupted download is resumed',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Export id' },
  },
  options: {
    ...SERVER_OPTIONS,
    output: {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: 'Output file; must not exist yet',
    },
    resume: {
      type: 'boolean',
      default: false,
      describe: 'Continue an interrupted file; downloads the rest',
    },
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await ExportClient.of(args, io);
    const progress = new ExportProgress(io, args.quiet);
    let job: Export;
    try {
      job = await withNewFile(args.output, io, args.resume, async (file) => {
        const ended = await client.ended(args.id, (now) => progress.written(now));
        const seen = (bytes: number): void => progress.fetched(bytes, ended);
        await fetchFile({ client, job: ended, file, output: args.output, io, seen });
        return ended;
      });
    } finally {
      progress.done();
    }
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, export: job, file: args.output };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return {
      exit: EXIT.ok,
      words: `${job.bytes} bytes in ${args.output}, SHA-256 ${job.sha256 ?? 'unknown'} verified`,
    };
  },
});
