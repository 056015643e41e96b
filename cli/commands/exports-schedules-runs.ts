import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { RUN, ScheduleClient } from '../exports/schedule-client.js';
import { write } from '../io.js';
import { columns } from '../output/columns.js';
import { plural } from '../output/plural.js';

interface SchedulesRunsArgs extends GlobalArgs, ServerFlags {
  readonly schedule: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), runs: z.array(RUN) });
const minute = (time: string | undefined): string => time?.slice(0, 16).replace('T', ' ') ?? '';

/** `weir exports schedules runs`: what a schedule asked for, newest first, with failures and late events. */
export const exportsSchedulesRuns: Command<SchedulesRunsArgs> = {
  output: OUTPUT,

  build: (parser) =>
    serverOptions(parser).positional('schedule', {
      type: 'string',
      demandOption: true,
      describe: 'Its id or name',
    }) as unknown as Argv<SchedulesRunsArgs>,

  async run(args, { io }) {
    const client = await ScheduleClient.of(args, io);
    const runs = await client.runs(await client.named(args.schedule));
    const rows = runs.map((one) => [
      ...[one.id, minute(one.filters['from']), minute(one.filters['to']), one.state, String(one.rows)],
      ...[String(one.schedule?.late_rows ?? 'not counted'), one.error ?? ''],
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, runs };
    const head = ['EXPORT', 'FROM', 'TO', 'STATE', 'EVENTS', 'LATE', 'PROBLEM'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(head, rows));
    return { exit: EXIT.ok, words: plural(runs.length, 'run') };
  },
};
