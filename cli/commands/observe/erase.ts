import { z } from 'zod';
import { SERVER_OPTIONS } from '../../api/index.js';
import { AppClient } from '../../apps/app-client.js';
import { defineCommand, textOption, type CommandArgs } from '../../command.js';
import { canAsk, confirm, CONFIRM_OPTION } from '../../deploy/ask.js';
import { ErasureClient, ONE_ERASURE, type Erasure } from '../../erasures/erasure-client.js';
import { erasureText } from '../../erasures/erasure-text.js';
import { termsOf } from '../../events/filter-flags.js';
import { EXIT, usageError } from '../../exit-code.js';
import { stdinText } from '../../input/stdin-text.js';
import { write, type Io } from '../../io.js';
import { plural } from '../../output/plural.js';
import { environmentFlag, environmentIn, environmentWord } from '../../vocabulary.js';

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...CONFIRM_OPTION,
  metadata: textOption('Metadata such as user.id=42; identifies calls of the person; separate several with commas'),
  session: textOption('Session id'),
  'redaction-token': textOption('Stable token that replaced a value of the person, such as [EMAIL_…]'),
  value: textOption(
    'Value that redaction replaced by a stable token, with its code: EMAIL=jan@example.com; EMAIL=- reads the value from stdin',
  ),
  app: textOption('App id or name'),
  ...environmentFlag(),
  because: textOption('Reason; kept in the certificate, so it must not contain personal data'),
  'dry-run': { type: 'boolean', default: false, describe: 'Change nothing; count only' },
} as const;

/** Stands for a value that is read from stdin. */
const STDIN_MARK = '-';

const ARGUMENTS = environmentWord('default: all');

type EraseArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir erase`: empties the stored data of a person whose calls were recorded. */
export const erase = defineCommand({
  usage: 'erase [environment]',
  summary: 'Erase a person from recorded calls and copies; issue a certificate',
  positionals: ARGUMENTS,
  options: OPTIONS,
  conflicts: { 'redaction-token': 'value' },
  examples: [
    ['$0 erase --metadata user_id=u1 --dry-run', 'counts the data to be erased, by storage location'],
    ['$0 erase --metadata user_id=u1 --because REQUEST-17 --yes', 'erases bodies and copies, keeps counts and costs'],
    ['$0 erase --value EMAIL=- --dry-run < address.txt', 'keeps the value out of the history of the shell'],
  ],
  output: ONE_ERASURE,

  async run(args, { io }) {
    const order = await orderOf(args, io);
    const client = await ErasureClient.of(args, io);
    let tried: Erasure | undefined;
    if (!args.dryRun && !args.yes && canAsk(io)) {
      tried = await client.done((await client.create({ ...order, dry_run: true })).id, () => undefined);
      if (!args.quiet) io.stderr.write(erasureText(tried));
    }
    if (!args.dryRun) await confirm(args, consequence(tried), 'erase', io);
    const { id } = await client.create({ ...order, dry_run: args.dryRun });
    if (!args.dryRun && !args.quiet) {
      io.stderr.write(
        `the erasure ${id} has begun; it continues on the server if this command ends: weir erasures show ${id}\n`,
      );
    }
    let reported = false;
    const erasure = await client.done(id, ({ state, open_calls: open }) => {
      if (reported || state !== 'waiting' || args.quiet) return;
      reported = true;
      io.stderr.write(`waiting for ${plural(open, 'call')} to end; the erasure continues on the server\n`);
    });
    const report: z.infer<typeof ONE_ERASURE> = { schemaVersion: 1, erasure };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : erasureText(erasure));
    const events = plural(erasure.counts['events'] ?? 0, 'event');
    return { exit: EXIT.ok, words: args.dryRun ? `${events} would be emptied` : `${events} emptied` };
  },
});

function consequence(tried: Erasure | undefined): string {
  const events = tried === undefined ? 'all events that are found' : plural(tried.counts['events'] ?? 0, 'event');
  return `${events} and every copy of their texts are emptied and cannot be restored`;
}

/** @throws CliError (exit 2) without a search term, or for an unreadable one */
async function orderOf(args: EraseArgs, io: Io): Promise<object> {
  const { metadata, session, redactionToken, value, app, because } = args;
  const environment = environmentIn(args);
  if ([metadata, session, redactionToken, value].every((each) => each === undefined)) {
    throw usageError('name the person to erase: --metadata, --session, --redaction-token or --value');
  }
  return {
    ...(metadata === undefined ? {} : { metadata: metadataOf(metadata) }),
    ...{ session, token: redactionToken, because },
    ...(app === undefined ? {} : { app: await appId(app, args, io) }),
    ...(value === undefined ? {} : { value: await valueOf(value, io) }),
    ...(environment === undefined ? {} : { environment }),
  };
}

/** Finds the id of an app by name. A given id is not looked up, because the token may lack access to apps. */
async function appId(app: string, args: EraseArgs, io: Io): Promise<string> {
  return z.uuid().safeParse(app).success ? app : (await (await AppClient.of(args, io)).named(app)).id;
}

/** Parses `key=value` terms. A comma begins a new term only if a name and `=` follow; `\,` never does. */
function metadataOf(text: string): Record<string, string> {
  const terms = termsOf(text, /(?<!\\),(?=[^,=]+=)/).map((term): [path: string, value: string] => {
    const [path = '', ...value] = term.split('=');
    if (path === '' || value.join('=') === '') throw usageError('--metadata takes key=value, such as user_id=u1');
    return [path, value.join('=')];
  });
  const metadata = Object.fromEntries(terms);
  if (Object.keys(metadata).length < terms.length) {
    throw usageError('--metadata takes each key only once: run one erasure per value');
  }
  return metadata;
}

/** With `-`, the value is read from stdin: then neither the shell history nor the process list contains it. */
async function valueOf(option: string, io: Io): Promise<{ type: string; text: string }> {
  const [type = '', ...value] = option.split('=');
  const isSent = value.join('=') === STDIN_MARK;
  const isNamed = /^\w+$/.test(type);
  const text = isSent && isNamed ? (await stdinText(io)).trim() : value.join('=');
  if (!isNamed || text === '') {
    throw usageError(
      isSent && isNamed
        ? 'stdin contains no value to erase'
        : '--value takes a code and a value, such as EMAIL=jan@example.com',
    );
  }
  return { type, text };
}
