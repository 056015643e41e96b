import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXPORT, ExportClient, type Export } from '../exports/export-client.js';
import { ExportProgress } from '../exports/export-progress.js';
import { fetchFile } from '../exports/fetch-file.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface ExportsFetchArgs extends GlobalArgs, ServerFlags {
  readonly id: string;
  readonly output: string;
  readonly resume: boolean;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), export: EXPORT, file: z.string() });

/** `weir exports fetch`: waits for an export and has its file, also in several goes. */
export const exportsFetch: Command<ExportsFetchArgs> = {
  output: OUTPUT,

  build: (parser) =>
    serverOptions(parser)
      .positional('id', { type: 'string', demandOption: true, describe: 'Export id' })
      .option('output', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: 'Output file; must not exist yet',
      })
      .option('resume', {
        type: 'boolean',
        default: false,
        describe: 'Continue an interrupted download',
      }) as unknown as Argv<ExportsFetchArgs>,

  async run(args, { io }) {
    const client = await ExportClient.of(args, io);
    const progress = new ExportProgress(io, args.quiet);
    let job: Export;
    try {
      const ended = await client.ended(args.id, (now) => progress.written(now));
      const seen = (bytes: number): void => progress.fetched(bytes, ended);
      await fetchFile({ client, job: ended, output: args.output, resume: args.resume, io, seen });
      job = ended;
    } finally {
      progress.done();
    }
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, export: job, file: args.output };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return {
      exit: EXIT.ok,
      words: `${job.bytes} bytes in ${args.output}, SHA-256 ${job.sha256 ?? 'unknown'}, as exported`,
    };
  },
};
