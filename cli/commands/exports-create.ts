import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command } from '../command.js';
import { filterOptions, filterQuery, timeOptions, type FilterArgs, type TimeArgs } from '../events/filter-flags.js';
import { EXPORT, ExportClient } from '../exports/export-client.js';
import { ExportProgress } from '../exports/export-progress.js';
import { fetchFile } from '../exports/fetch-file.js';
import { EXIT, usageError } from '../exit-code.js';
import { write } from '../io.js';
import { plural } from '../output/plural.js';

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

interface ExportsCreateArgs extends FilterArgs, TimeArgs, ServerFlags {
  readonly format: (typeof FORMATS)[number];
  readonly columns: string | undefined;
  readonly bom: boolean;
  readonly wait: boolean;
  readonly output: string | undefined;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), export: EXPORT });

/** `weir exports create`: has the service write a file of events, whatever its size. */
export const exportsCreate: Command<ExportsCreateArgs> = {
  output: OUTPUT,

  build: (parser) =>
    timeOptions(filterOptions(serverOptions(parser)))
      .option('format', { choices: FORMATS, default: 'jsonl' as const, describe: 'Of the file' })
      .option('columns', {
        type: 'string',
        requiresArg: true,
        describe: 'Of CSV and Parquet, in this order, with commas between them; default: all of them',
      })
      .option('bom', { type: 'boolean', default: false, describe: 'CSV that Excel knows to be UTF-8' })
      .option('wait', { type: 'boolean', default: false, describe: 'Wait until it is written' })
      .option('output', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        describe: 'Wait, and fetch it into this new file',
      })
      .example(
        '$0 exports create --since 90d --format parquet -o quarter.parquet',
        'goes on when the terminal is closed: weir exports fetch has the rest',
      ) as unknown as Argv<ExportsCreateArgs>,

  async run(args, { io }) {
    const columns = args.columns?.split(',');
    if (columns?.includes('') === true) throw usageError('--columns takes names with commas between them');
    const filters = Object.fromEntries(filterQuery(args, Date.now()));
    const client = await ExportClient.of(args, io);
    const made = await client.create({
      ...{ format: args.format, filters },
      ...(columns === undefined ? {} : { columns }),
      ...(args.bom ? { bom: true } : {}),
    });
    const isAwaited = args.wait || args.output !== undefined;
    const progress = new ExportProgress(io, args.quiet);
    let job = made;
    try {
      if (isAwaited) job = await client.ended(made.id, (now) => progress.written(now));
      if (args.output !== undefined) {
        const seen = (bytes: number): void => progress.fetched(bytes, job);
        await fetchFile({ client, job, output: args.output, resume: false, io, seen });
      }
    } finally {
      progress.done();
    }
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, export: job };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : `${job.id}\n`);
    if (!isAwaited)
      return { exit: EXIT.ok, words: `it is being written; to have it: weir exports fetch ${job.id} -o FILE` };
    const where = args.output === undefined ? 'written' : `in ${args.output}`;
    return { exit: EXIT.ok, words: `${plural(job.rows, 'event')} ${where}, SHA-256 ${job.sha256 ?? 'unknown'}` };
  },
};
