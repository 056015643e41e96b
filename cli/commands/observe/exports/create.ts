import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, type CommandArgs } from '../../../command.js';
import { FILTER_ARGUMENT, filterQuery, SEARCH_OPTIONS } from '../../../events/filter-flags.js';
import { CliError, EXIT, usageError } from '../../../exit-code.js';
import { DESTINATION_OPTIONS, destinationOf } from '../../../exports/destination-flags.js';
import { EXPORT, ExportClient, type Export } from '../../../exports/export-client.js';
import { ExportProgress } from '../../../exports/export-progress.js';
import { fetchFile } from '../../../exports/fetch-file.js';
import { TABLE_OPTIONS, tableFlags } from '../../../exports/table-flags.js';
import { write, type Io } from '../../../io.js';
import { withNewFile } from '../../../named-files.js';
import { plural } from '../../../output/plural.js';
import { outputFlag } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), export: EXPORT });

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...SEARCH_OPTIONS,
  ...TABLE_OPTIONS,
  ...DESTINATION_OPTIONS,
  'until-written': { type: 'boolean', default: false, describe: 'Wait until the file is complete' },
  ...outputFlag('must not exist yet; the command waits for the export and downloads it'),
} as const;

type ExportsCreateArgs = CommandArgs<typeof OPTIONS, typeof FILTER_ARGUMENT>;

/** `weir exports create`: starts an export, for which the service writes a file of any size. */
export const exportsCreate = defineCommand({
  usage: 'create [environment]',
  summary: 'Start an export of any size',
  positionals: FILTER_ARGUMENT,
  options: OPTIONS,
  examples: [
    [
      '$0 exports create --since 90d --format parquet -o quarter.parquet',
      'the export continues if the terminal is closed; weir exports fetch downloads the rest',
    ],
    [
      '$0 exports create --to s3://audit/weir/ --region eu-central-1 --try',
      'exports to a bucket, after testing access to it',
    ],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const destination = destinationOf(args, io);
    if (destination !== undefined && args.output !== undefined) {
      throw usageError('--output downloads the file, --to writes it to a bucket: use one of them');
    }
    const filters = Object.fromEntries(filterQuery(args, Date.now()));
    const body = { ...tableFlags(args), filters, ...(destination === undefined ? {} : { destination }) };
    const client = await ExportClient.of(args, io);
    if (args.try && destination !== undefined) await client.tryBucket(destination);
    const isAwaited = args.untilWritten || args.output !== undefined;
    const progress = new ExportProgress(io, args.quiet);
    let job: Export;
    try {
      if (args.output !== undefined) job = await downloaded(args.output, body, { client, progress, io });
      else {
        job = await client.create(body);
        if (isAwaited) job = await client.ended(job.id, (now) => progress.written(now));
      }
    } finally {
      progress.done();
    }
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, export: job };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : `${job.id}\n`);
    if (!isAwaited) return { exit: EXIT.ok, words: `the export is being written${nextStep(job.id, args)}` };
    const where =
      args.output === undefined ? `written${args.to === undefined ? '' : ' to the bucket'}` : `in ${args.output}`;
    return { exit: EXIT.ok, words: `${plural(job.rows, 'event')} ${where}, SHA-256 ${job.sha256 ?? 'unknown'}` };
  },
});

/** Starts an export and downloads it. The file is opened first: otherwise a wrong name would show only after the export. */
function downloaded(
  output: string,
  body: object,
  { client, progress, io }: { client: ExportClient; progress: ExportProgress; io: Io },
): Promise<Export> {
  return withNewFile(output, io, undefined, async (file) => {
    const { id } = await client.create(body);
    try {
      const job = await client.ended(id, (now) => progress.written(now));
      await fetchFile({ client, job, file, output, io, seen: (bytes) => progress.fetched(bytes, job) });
      return job;
    } catch (error) {
      const isCutOff = io.signal.aborted && !(error instanceof CliError);
      const known = isCutOff ? new CliError(EXIT.interrupted, 'interrupted') : error;
      if (!(known instanceof CliError) || known.message.includes(id)) throw known;
      throw new CliError(known.exit, `${known.message}; the export remains on the server: weir exports fetch ${id}`);
    }
  });
}

const nextStep = (id: string, { to }: ExportsCreateArgs): string =>
  to === undefined
    ? `; to download it: weir exports fetch ${id} -o FILE`
    : ' to the bucket; to see its progress: weir exports list';
