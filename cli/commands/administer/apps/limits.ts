import { z } from 'zod';
import { ApiError, SERVER_OPTIONS } from '../../../api/index.js';
import { APP_ARGUMENT } from '../../../apps/named-app.js';
import { APP_DETAIL, AppClient, type AppDetail } from '../../../apps/app-client.js';
import { appText } from '../../../apps/app-text.js';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { spanMs } from '../../../input/span.js';
import { write } from '../../../io.js';

type Limits = NonNullable<AppDetail['limits']>;

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), app: APP_DETAIL });

/** `weir apps limits`: shows or sets the limits of an app, which can be lower than the operator's. */
export const appsLimits = defineCommand({
  usage: 'limits <app>',
  summary: 'Show or set the rate limits of an app',
  positionals: APP_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    events: textOption("Limit of submitted events per time span, such as 600/1m, or none for the operator's limit"),
    proxy: textOption('Limit of proxied calls, in the same format'),
  },
  examples: [
    [
      '$0 apps limits checkout --proxy 100/1m',
      'allows at most 100 proxied calls in any minute; leaves the limit of events unchanged',
    ],
    ['$0 apps limits checkout', 'shows the limits and their current use'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const [events, proxy] = [limitOf(args.events, '--events'), limitOf(args.proxy, '--proxy')];
    const client = await AppClient.of(args, io);
    const found = await client.detail(await client.named(args.app));
    const isChange = events !== undefined || proxy !== undefined;
    const app = isChange
      ? await client.change(found, { limits: changed(found, { events, proxy }) }).catch(refused)
      : found;
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, app };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : appText(app));
    return { exit: EXIT.ok, words: isChange ? 'the limits are changed' : 'these are the current limits' };
  },
});

/** The service expects all limits at once: a limit without a flag keeps its value. */
function changed({ limits }: AppDetail, asked: { [Surface in keyof Limits]: Limits[Surface] | undefined }): Limits {
  const of = (surface: keyof Limits): Limits[typeof surface] =>
    asked[surface] === undefined ? (limits?.[surface] ?? null) : asked[surface];
  return { events: of('events'), proxy: of('proxy') };
}

/** Parses a limit such as `600/1m`; null for `none`. @throws CliError (exit 2) */
function limitOf(text: string | undefined, flag: string): Limits['events'] | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const [, count = '', span = ''] = /^(\d{1,7})\/(\w+)$/.exec(text) ?? [];
  if (count === '') throw usageError(`${flag} takes a number and a time span, such as 600/1m, or none`);
  return { count: Number(count), seconds: spanMs(span, flag) / 1_000 };
}

/** @throws CliError (exit 2) for invalid limits, or limits above those of the operator */
function refused(error: unknown): never {
  const detail = error instanceof ApiError ? error.details.find(({ path }) => path.startsWith('limits.')) : undefined;
  if (detail === undefined) throw error;
  const [, surface = '', part = ''] = detail.path.split('.');
  throw usageError(`--${surface}: the ${part === 'seconds' ? 'span' : 'number'} ${detail.message}`);
}
