/** Commands for reading the recorded data of a service. Groups of commands have separate folders. */
import { z } from 'zod';
import { apiClient, ApiError, readAnswer, SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, textOption } from '../../command.js';
import { EXIT, usageError } from '../../exit-code.js';
import { spanMs } from '../../input/span.js';
import { write } from '../../io.js';
import { columns, minuteText } from '../../output/columns.js';
import { plural } from '../../output/plural.js';
import { environmentFlag, environmentIn, environmentWord, LIMIT_OPTION, limited } from '../../vocabulary.js';

const SEVERITIES = ['critical', 'warn', 'info'] as const;
const ITEM = z.object({
  id: z.string(),
  kind: z.string(),
  severity: z.enum(SEVERITIES),
  environment: z.string().nullable(),
  text_args: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  count: z.int().nullable(),
  since: z.string().nullable(),
});
const LIST = z.object({ checked_at: z.string(), data: z.array(ITEM) });
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  checkedAt: z.string(),
  items: z.array(ITEM),
  more: z.boolean(),
});

/** `weir attention`: lists what needs attention. */
export const attention = defineCommand({
  usage: 'attention [environment]',
  summary: 'List items that need attention',
  positionals: environmentWord('default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag(),
    ...LIMIT_OPTION,
    hide: textOption('Hide the entry with this id for a while; only for the owner of this token'),
    for: textOption('Time for which --hide hides the entry, such as 24h, at most 90d; default: 24h'),
  },
  examples: [
    ['$0 attention --env production', 'the most urgent entries first; exit 1 if one is critical'],
    ['$0 attention --hide key_unused:AbCdEfGhIjKl --for 7d', 'hides one entry for a week'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    if (args.for !== undefined && args.hide === undefined) throw usageError('--for needs --hide');
    const environment = environmentIn(args);
    const query = environment === undefined ? '' : `?environment=${environment}`;
    const client = await apiClient(args, io);
    if (args.hide !== undefined) {
      const until = new Date(Date.now() + spanMs(args.for ?? '24h', '--for')).toISOString();
      await client.put(`/v1/attention/${encodeURIComponent(args.hide)}/snooze`, { until }).catch(refused);
    }
    const { checked_at: checkedAt, data } = readAnswer(LIST, await client.get(`/v1/attention${query}`));
    const { rows: items, more } = limited(data, args);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, checkedAt, items, more };
    const rows = items.map(({ severity, environment: place, since, kind, text_args: about, id }) => [
      ...[severity, place ?? 'all', minuteText(since) ?? '', kind.replaceAll('_', ' ')],
      ...[aboutText(about), id],
    ]);
    const head = ['SEVERITY', 'ENVIRONMENT', 'SINCE', 'WHAT', 'ABOUT', 'ID'];
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : rows.length === 0 ? '' : columns(head, rows));
    const critical = data.filter(({ severity }) => severity === 'critical').length;
    if (critical > 0) return { exit: EXIT.findings, words: `${critical} of ${plural(data.length, 'item')} critical` };
    return {
      exit: EXIT.ok,
      words: data.length === 0 ? 'nothing needs attention' : `${plural(data.length, 'item')}, none critical`,
    };
  },
});

function aboutText(about: z.infer<typeof ITEM>['text_args']): string {
  return Object.entries(about)
    .flatMap(([name, value]) => (value === null || value === '' ? [] : [`${name} ${value}`]))
    .join(', ');
}

/** @throws CliError (exit 2) for an unknown entry, or a duration that is too long */
function refused(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 404) throw usageError('--hide takes an id of the list. See: weir attention');
  const until = error.details.find(({ path }) => path === 'until');
  throw until === undefined ? error : usageError(`--for: the time ${until.message}`);
}
