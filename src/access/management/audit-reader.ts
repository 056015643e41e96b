/** The audit log in the format of the API: pages of entries with names, or all matching entries as a stream of text. */
import type { z } from 'zod';
import type { AdminAction, AdminActionFilter, AdminAudit } from '../../admin-audit/index.js';
import type { Database } from '../../database/index.js';
import { csvLine, csvText } from '../../http/index.js';
import { actorName, namesOf, subjectName, type Names } from './audit-names.js';
import type { AUDIT_ENTRY, AUDIT_PAGE, AuditFormat } from './audit-schemas.js';

type Entry = z.infer<typeof AUDIT_ENTRY>;
export type AuditFilter = Omit<AdminActionFilter, 'limit'>;

/** The number of entries that a stream reads at once and holds in memory. */
const STREAMED_AT_ONCE = 200;

interface Column {
  readonly name: string;
  readonly value: (entry: Entry) => string | null;
}

const COLUMNS: readonly Column[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'at', value: ({ at }) => at },
  { name: 'action', value: ({ action }) => action },
  { name: 'actor_kind', value: ({ actor }) => actor.kind },
  { name: 'actor_id', value: ({ actor }) => actor.id },
  { name: 'actor_name', value: ({ actor }) => actor.name },
  { name: 'subject', value: ({ subject }) => subject },
  { name: 'subject_name', value: (entry) => entry.subject_name },
  { name: 'address', value: ({ from }) => from.address },
  { name: 'user_agent', value: ({ from }) => from.user_agent },
  { name: 'details', value: ({ details }) => JSON.stringify(details) },
];

export class AuditReader {
  constructor(
    private readonly database: Database,
    private readonly audit: AdminAudit,
  ) {}

  /** A page of entries, newest first. @throws DatabaseError | DatabaseUnavailable */
  async page(accountId: string, filter: AuditFilter, limit: number): Promise<z.infer<typeof AUDIT_PAGE>> {
    const entries = await this.audit.list(accountId, { ...filter, limit: limit + 1 });
    const page = entries.slice(0, limit);
    const names = await namesOf(this.database.sql.forAccounts(accountId), accountId, page);
    return {
      data: page.map((entry) => view(entry, names)),
      next_cursor: entries.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  }

  /** Yields all matching entries, newest first, in chunks. `filter.before` continues an interrupted stream, without a second CSV header. */
  async *stream(accountId: string, filter: AuditFilter, format: AuditFormat): AsyncGenerator<string> {
    if (format === 'csv' && filter.before === undefined) yield csvLine(COLUMNS.map(({ name }) => name));
    let before = filter.before ?? null;
    do {
      const from = before === null ? filter : { ...filter, before };
      const { data, next_cursor: next } = await this.page(accountId, from, STREAMED_AT_ONCE);
      if (data.length > 0) yield data.map(format === 'csv' ? csvRow : jsonLine).join('');
      before = next;
    } while (before !== null);
  }
}

function jsonLine(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}

function csvRow(entry: Entry): string {
  return csvLine(COLUMNS.map(({ value }) => csvText(value(entry) ?? '')));
}

function view(entry: AdminAction, names: Names): Entry {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    action: entry.action,
    actor: { kind: entry.actorKind, id: entry.actorId, name: actorName(entry, names) },
    subject: entry.subject,
    subject_name: subjectName(entry, names),
    details: { ...entry.details },
    from: { address: entry.address, user_agent: entry.userAgent },
  };
}
