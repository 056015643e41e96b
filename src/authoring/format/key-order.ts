/** The order of keys in canonical form. Keys that are not listed here keep their order, after the listed ones. */
type Order = readonly string[];

const POLICY: Order = [
  'apiVersion',
  'kind',
  'metadata',
  'environment',
  'default',
  'mode',
  'client_monitor_mode',
  'content',
  'retention',
  'media',
  'unread',
  'unmaskable',
  'on_disconnect',
  'on_blocked_history',
  'default_max_tokens',
  'max_policy_age',
  'extends',
  'defaults',
  'stages',
  'prices',
  'detectors',
  'lists',
  'conditions',
  'budgets',
  'overrides',
  'rules',
  'exceptions',
];

const RULE: Order = [
  'id',
  'formerly',
  'title',
  'stage',
  'severity',
  'mode',
  'review_by',
  'rollout',
  'tags',
  'client_controlled',
  'because',
  'when',
  'then',
  'message',
  'on_unknown',
];
const THEN: Order = ['action', 'reason', 'detail', 'answer', 'redact'];
const REDACT: Order = ['entities', 'tokens', 'restore', 'with', 'label'];
const EXCEPTION: Order = [
  'id',
  'rules',
  'client_controlled',
  'when',
  'effect',
  'because',
  'approved_by',
  'ticket',
  'expires',
];
const OVERRIDE: Order = ['rule', 'because', 'weakens', 'set'];
const BUDGET: Order = ['id', 'scope', 'window', 'limit', 'warn_at', 'on_exceed', 'on_unknown_price'];
const RETENTION: Order = ['content', 'records', 'holds'];
const HOLD: Order = ['id', 'match', 'because', 'until'];
const PRICE: Order = [
  'input_usd_per_million',
  'output_usd_per_million',
  'cache_read_usd_per_million',
  'cache_write_usd_per_million',
  'cache_write_1h_usd_per_million',
  'reasoning_usd_per_million',
];
const METADATA: Order = ['id', 'title', 'owner', 'description'];
const DETECTOR: Order = ['plugin'];

const SUITE: Order = ['apiVersion', 'kind', 'title', 'environments', 'clock', 'detectors', 'defaults', 'tests'];
const TEST: Order = ['id', 'title', 'environments', 'skip', 'because', 'until', 'clock', 'detectors', 'stage'];
const PROJECT: Order = ['apiVersion', 'kind', 'environments', 'servers', 'lint', 'max_exception'];

/** Orders of keys by kind of file and path of the map: keys joined by dots, `[]` for list entries, `*` for any key. */
export const KEY_ORDERS: Readonly<Record<string, Readonly<Record<string, Order>>>> = {
  Policy: {
    '': POLICY,
    metadata: METADATA,
    retention: RETENTION,
    'retention.holds[]': HOLD,
    'detectors.*': DETECTOR,
    'rules[]': RULE,
    'rules[].then': THEN,
    'rules[].then.redact': REDACT,
    'exceptions[]': EXCEPTION,
    'overrides[]': OVERRIDE,
    'budgets[]': BUDGET,
    'prices.*': PRICE,
  },
  PolicyTest: { '': SUITE, 'tests[]': TEST },
  Project: { '': PROJECT },
};
