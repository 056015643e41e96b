import type { Caller } from '../access/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';

interface NamedModel {
  readonly provider?: string;
  readonly model?: string;
}

interface Row extends SqlRow {
  readonly provider: string | null;
  readonly model: string | null;
}

/** Finds the model of a request, for reported answers that do not name it. */
export class RequestModels {
  constructor(private readonly sql: TenantSql) {}

  /** @returns nothing when no request of this id is in the log; @throws DatabaseUnavailable */
  async find({ accountId, appId, environment }: Caller, requestId: string | undefined): Promise<NamedModel> {
    if (requestId === undefined) return {};
    const [row] = await this.sql.forAccounts(accountId).query<Row>(
      `SELECT provider, model FROM events
       WHERE account_id = $1::uuid AND request_id = $2 AND app_id = $3::uuid AND environment = $4 AND type = 'ai.request'
       ORDER BY id DESC LIMIT 1`,
      [accountId, requestId, appId, environment],
      { prepareAs: 'model_of_request' },
    );
    return {
      ...(typeof row?.provider === 'string' ? { provider: row.provider } : {}),
      ...(typeof row?.model === 'string' ? { model: row.model } : {}),
    };
  }
}
