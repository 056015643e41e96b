/** The messages between the server's thread and the embedded database's thread. Plain data, because it is structured-cloned. */
export interface WorkerSettings {
  /** Path of an existing directory. */
  readonly directory: string;
  /** Activates a scope: `$1` the role, `$2` the accounts. */
  readonly scopeStatement: string;
}

export interface Prepared {
  readonly sql: string;
  readonly parameters: readonly string[];
  readonly prepareAs: string;
}

export type WorkerRequest =
  | {
      readonly id: number;
      readonly kind: 'query';
      readonly sql: string;
      readonly parameters: readonly unknown[];
      /** Keep the statement prepared under this name. */
      readonly prepareAs?: string;
      /** Role and accounts for this statement only. Its parameters are then those of `SqlExecutor`. */
      readonly scope?: readonly [role: string, accounts: string];
      /** Only with a scope: statements that run before this one, in its transaction. Their rows are discarded. */
      readonly after?: readonly Prepared[] | undefined;
    }
  | { readonly id: number; readonly kind: 'script'; readonly sql: string }
  | { readonly id: number; readonly kind: 'close' };

/** The reply with the id 0 reports that the database is open. */
export type WorkerReply =
  | { readonly id: number; readonly ok: true; readonly rows: Record<string, unknown>[]; readonly affectedRows: number }
  | {
      readonly id: number;
      readonly ok: false;
      readonly error: { readonly code?: string; readonly message: string; readonly constraint?: string };
    };
