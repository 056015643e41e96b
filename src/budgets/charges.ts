import {
  limitAmount,
  scopeOf,
  scopeText,
  type BudgetDefinition,
  type CallContext,
  type JsonValue,
  type KeyedHash,
} from '../core/index.js';
import { storable, type NewEvent, type SpendingCall } from '../events/index.js';
import type { PeriodRequest } from './ledger/ledger-types.js';
import { currentWindow } from './window.js';

/** Included in the hash, so that it never equals a hash for another purpose. */
const PURPOSE = 'budget scope\n';

/** The fields of an event that budgets show. */
export type StoredNames = Pick<NewEvent, 'model' | 'provider' | 'metadata'>;

/**
 * The windows of the policy's budgets in which a call counts.
 *
 * @param nowMs the instant of the call by the database's clock
 * @param stored the masked names and metadata of the log, as people see them
 */
export function periodRequests(
  { caller, policy, context }: SpendingCall,
  hash: KeyedHash,
  nowMs: number,
  stored: StoredNames,
): PeriodRequest[] {
  let masked: CallContext | undefined;
  const labelOf = (scope: readonly string[]): PeriodRequest['scopeLabel'] => {
    masked ??= maskedContext(context, stored);
    return Object.fromEntries(scopeOf(scope, masked).map(({ name, value }) => [name, shown(value)]));
  };
  return policy.policy.budgets.map((budget) => {
    const { id, scope, window, limit, warnAt, onExceed } = budget;
    const { startMs, endMs } = currentWindow(window.per, window.timezone, nowMs);
    return {
      accountId: caller.accountId,
      environment: caller.environment,
      budget: id,
      unit: limit.unit,
      per: window.per,
      timezone: window.timezone,
      scope: hashed(hash, scopeText(scopeOf(scope, context))),
      // Needed only for a window without a row, so the metadata is not parsed for each call.
      get scopeLabel() {
        return labelOf(scope);
      },
      nowMs,
      startMs,
      ...(endMs === undefined ? {} : { endMs }),
      limit: limitAmount(limit),
      warnAt,
      onExceed,
    };
  });
}

/** The upper bound or the actual cost of a call, in each unit. */
export interface Amounts {
  readonly usd: bigint | undefined;
  readonly tokens: bigint | undefined;
}

export function amountIn({ limit }: BudgetDefinition, amounts: Amounts): bigint | undefined {
  return amounts[limit.unit];
}

const LONGEST_LABEL = 200;

/** The label of a value. The log keeps metadata as it was written, but the ledger cannot store each character, nor half of a cut one. */
function shown(value: string | null): string | null {
  if (value === null) return null;
  return storable(value.length <= LONGEST_LABEL ? value : `${value.slice(0, LONGEST_LABEL)}…`);
}

/** The number of scopes of an account whose hashes are remembered; callers choose values of metadata, so it must stay small. */
const MOST_SCOPES = 1_000;
const LONGEST_SCOPE = 512;
const knownScopes = new WeakMap<KeyedHash, Map<string, string>>();

/** The hash of a scope, which the request and the answer of each call of an app or a team need several times. */
function hashed(hash: KeyedHash, text: string): string {
  let known = knownScopes.get(hash);
  if (known === undefined) {
    known = new Map<string, string>();
    knownScopes.set(hash, known);
  }
  const before = known.get(text);
  if (before !== undefined) return before;
  const scope = Buffer.from(hash(PURPOSE + text)).toString('hex');
  if (text.length > LONGEST_SCOPE) return scope;
  if (known.size >= MOST_SCOPES) known.clear();
  known.set(text, scope);
  return scope;
}

function maskedContext(context: CallContext, { model, provider, metadata }: StoredNames): CallContext {
  const { metadata: _metadata, model: _model, provider: _provider, ...rest } = context;
  return {
    ...rest,
    ...(context.model === undefined || model === undefined ? {} : { model }),
    ...(context.provider === undefined || provider === undefined ? {} : { provider }),
    ...(metadata === undefined ? {} : { metadata: JSON.parse(metadata) as { readonly [key: string]: JsonValue } }),
  };
}
