import { z } from 'zod';
import { AUDIT_ENTRY } from '../../access/answers.js';
import { Management } from '../../access/management.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, textOption, type CommandArgs } from '../../command.js';
import { instantOf, RANGE_OPTIONS } from '../../events/filter-flags.js';
import { EXIT, usageError } from '../../exit-code.js';
import { write } from '../../io.js';
import { columns, nameAndId } from '../../output/columns.js';
import { andMore, limitOf, limitOption } from '../../vocabulary.js';

type Entry = z.infer<typeof AUDIT_ENTRY>;

const PAGE = 200;
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), entries: z.array(AUDIT_ENTRY), more: z.boolean() });
const HEAD = ['AT', 'WHO', 'ACTION', 'SUBJECT', 'FROM'];

const OPTIONS = {
  ...SERVER_OPTIONS,
  actor: textOption('Actors, separated by commas: ids, or kinds (person, token, operator, system)'),
  action: textOption('Actions such as key.created, separated by commas'),
  subject: textOption('Changed objects, separated by commas: ids or environments'),
  ...RANGE_OPTIONS,
  ...limitOption(50),
  format: {
    choices: ['table', 'csv', 'jsonl'],
    default: 'table',
    describe: 'Output format; csv and jsonl print every matching entry',
  },
} as const;

type AuditArgs = CommandArgs<typeof OPTIONS>;

/** `weir audit`: prints the account's audit log, newest first; CSV and JSON lines contain every matching entry. */
export const audit = defineCommand({
  usage: 'audit',
  summary: 'List administrative changes: actor, action, time and origin',
  options: OPTIONS,
  examples: [['$0 audit --since 90d --format csv > audit.csv', 'all entries of 90 days']],
  output: OUTPUT,

  async run(args, { io }) {
    const limit = limitOf(args, 'for all: --format csv or jsonl');
    if (args.json && args.format !== 'table') throw usageError('--json and --format cannot be combined');
    const query = queryOf(args);
    const management = await Management.of(args, io);
    if (args.format !== 'table') {
      query.set('format', args.format);
      const decoder = new TextDecoder();
      for await (const part of management.auditStream(query)) {
        await write(io.stdout, decoder.decode(part, { stream: true }));
      }
      return { exit: EXIT.ok, words: `all entries that match, as ${args.format}` };
    }
    const { entries, more } = await listed(management, query, limit);
    const report = { schemaVersion: 1, entries, more };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(HEAD, entries.map(row)));
    return {
      exit: EXIT.ok,
      words: `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}${andMore(more)}`,
    };
  },
});

async function listed(management: Management, query: URLSearchParams, limit: number) {
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    query.set('limit', String(Math.min(PAGE, limit - entries.length)));
    if (cursor !== null) query.set('cursor', cursor);
    const page: { data: Entry[]; next_cursor: string | null } = await management.audit(query);
    entries.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && entries.length < limit);
  return { entries, more: cursor !== null };
}

function queryOf({ actor, action, subject, since, until }: AuditArgs): URLSearchParams {
  const query = new URLSearchParams();
  if (actor !== undefined) query.set('actor', actor);
  if (action !== undefined) query.set('action', action);
  if (subject !== undefined) query.set('subject', subject);
  if (since !== undefined) query.set('from', instantOf(since, '--since', Date.now()));
  if (until !== undefined) query.set('to', instantOf(until, '--until', Date.now()));
  return query;
}

function row({ at, actor, action, subject, subject_name: name, from }: Entry): string[] {
  const who = nameAndId(actor.name, actor.id);
  return [at, who === '' ? actor.kind : who, action, nameAndId(name, subject), from.address ?? ''];
}
