import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { apiClient, SERVER_OPTIONS, type ApiClient } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { exportedLines } from '../../../events/export-stream.js';
import { FILTER_ARGUMENT, filterQuery, SEARCH_OPTIONS } from '../../../events/filter-flags.js';
import { parseLine } from '../../../events/json-stream.js';
import { lastWholeLine } from '../../../events/last-line.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write, type Io } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { outputFlag } from '../../../vocabulary.js';
import { outputFile, withNewFile, writeAt } from '../../../named-files.js';

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

const NAMES = { csv: 'CSV', parquet: 'Parquet' } as const;

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  format: z.enum(FORMATS),
  file: z.string(),
  bytes: z.number().describe('Bytes written by this run.'),
  events: z.number().nullable().describe('Events written by this run; null for formats other than JSON Lines.'),
});

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...SEARCH_OPTIONS,
  format: { choices: FORMATS, default: 'jsonl', describe: 'Output format' },
  ...outputFlag('must not exist yet; default: stdout'),
  resume: { type: 'boolean', default: false, describe: 'Continue an interrupted file; JSON Lines only' },
} as const;

/** `weir events export`: prints every matching event, newest first, in constant memory. */
export const eventsExport = defineCommand({
  usage: 'export [environment]',
  summary: 'Print every matching event as JSON Lines or CSV',
  positionals: FILTER_ARGUMENT,
  options: OPTIONS,
  examples: [['$0 events export --since 7d -o decisions.jsonl', 'a file for weir backtest --file']],
  output: OUTPUT,

  async run(given, { io }) {
    const args = { ...given, output: outputFile(given.output) };
    if (args.json && args.output === undefined)
      throw usageError('--json needs --output, because the export is written to stdout');
    if (args.resume && (args.output === undefined || args.format !== 'jsonl')) {
      throw usageError('--resume continues a JSON Lines file: use --output and --format jsonl');
    }
    if (args.format === 'parquet' && args.output === undefined)
      throw usageError('Parquet is a binary format: use --output');
    const query = filterQuery(args, Date.now());
    const client = await apiClient(args, io);
    const { output, format } = args;
    const exported = (target: Target) => copied(client, query, { io, format, target });
    const { bytes, events } = await (output === undefined
      ? exported({ sink: (part) => write(io.stdout, part) })
      : withNewFile(output, io, args.resume, async (file) => exported(await targetIn(file, output, args.resume))));
    const report = {
      schemaVersion: 1,
      format: args.format,
      file: args.output ?? '',
      bytes,
      events: args.format === 'jsonl' ? events : null,
    };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return {
      exit: EXIT.ok,
      words:
        args.format === 'jsonl' ? `${plural(events, 'event')} exported` : `${bytes} bytes of ${NAMES[args.format]}`,
    };
  },
});

interface Target {
  readonly sink: (part: Uint8Array) => Promise<void>;
  /** Id of the last event in the file; the export continues after it. */
  readonly before?: string;
}

/** Copies the events to the target; returns the number of bytes, and of events for JSON Lines. */
async function copied(
  client: ApiClient,
  query: URLSearchParams,
  { io, format, target: { sink, before } }: { io: Io; format: (typeof FORMATS)[number]; target: Target },
): Promise<{ bytes: number; events: number }> {
  let bytes = 0;
  let events = 0;
  const put = async (part: Uint8Array): Promise<void> => {
    bytes += part.length;
    await sink(part);
  };
  if (format === 'jsonl') {
    for await (const line of exportedLines(client, query, io, before)) {
      await put(Buffer.from(`${line}\n`));
      events++;
    }
  } else {
    query.set('format', format);
    for await (const part of client.stream(`/v1/events/export?${query.toString()}`)) await put(part);
  }
  return { bytes, events };
}

/** The end of a file: after its last complete line if an interrupted export is continued. */
async function targetIn(file: FileHandle, shown: string, resume: boolean): Promise<Target> {
  const last = resume ? await lastWholeLine(file) : { end: 0 };
  await file.truncate(last.end);
  let at = last.end;
  return {
    sink: async (part) => {
      await writeAt(file, part, at, shown);
      at += part.length;
    },
    ...(last.line === undefined ? {} : { before: idOf(last.line, shown) }),
  };
}

function idOf(line: string, file: string): string {
  const event = parseLine(line);
  if (typeof event === 'object' && event !== null && 'id' in event && typeof event.id === 'string') return event.id;
  throw usageError(`${file} does not end with an event`);
}
