/** A policy in which every leaf of the format has a value, and other values for each leaf. */
const CONDITION = (type: string) => ({ 'pii.types': { any_of: [type] } });

/** The policy that the full policy extends. */
export const PLAIN_TEXT = JSON.stringify({
  apiVersion: 'weir/v1',
  kind: 'Policy',
  metadata: { id: 'inherited', owner: 'a@b.example' },
  rules: [
    {
      id: 'old.flag',
      stage: 'post',
      severity: 'low',
      when: { 'pii.types': { any_of: ['IBAN'] } },
      then: { action: 'flag' },
      on_unknown: 'no_match',
    },
  ],
});

export const FULL_POLICY = {
  apiVersion: 'weir/v1',
  kind: 'Policy',
  metadata: { id: 'full', title: 'Full', owner: 'a@b.example', description: 'All of it' },
  environment: 'production',
  extends: ['../_shared/base.yaml'],
  default: 'allow',
  mode: 'enforce',
  client_monitor_mode: 'ignore',
  content: 'redacted',
  retention: {
    content: '30d',
    records: '400d',
    holds: [{ id: 'LH-1', match: { session: 's1', app: 'hr' }, because: 'B', until: '2027-06-30T00:00:00Z' }],
  },
  media: 'flag',
  unread: { governed: 'flag', other: 'flag' },
  unmaskable: { documents: 'refuse', signed: 'refuse' },
  default_max_tokens: 4000,
  on_disconnect: 'abort',
  on_blocked_history: 'refuse',
  prices: {
    'gpt-4o': {
      input_usd_per_million: 2,
      output_usd_per_million: 2,
      cache_read_usd_per_million: 2,
      cache_write_usd_per_million: 2,
      cache_write_1h_usd_per_million: 2,
      reasoning_usd_per_million: 2,
    },
  },
  defaults: { on_unknown: 'match' },
  stages: { pre: { deadline_ms: 800 }, post: { deadline_ms: 800 }, tool: { deadline_ms: 800 } },
  detectors: {
    pii: {
      plugin: 'pii@^1',
      min_score: 0.5,
      codes: ['EMAIL', 'PHONE', 'IBAN', 'CREDIT_CARD'],
      timeout_ms: 500,
      regions: ['DE', 'FR'],
      locales: ['en', 'de'],
    },
    extra: { plugin: 'secrets@^1', timeout_ms: 300 },
    words: {
      plugin: 'keywords@^1',
      lists: {
        SECRET: { words: ['kestrel', 'blue harbor'], case_sensitive: true, whole_words: true, score: 0.8, title: 'T' },
      },
    },
    hid: {
      plugin: 'regex@^1',
      patterns: { HID: [{ pattern: 'HID-(\\d{3})', case_sensitive: true, group: 0, score: 0.8, title: 'T' }] },
    },
    far: {
      plugin: 'remote@^1',
      service: 'far',
      format: 'webhook',
      entities: { NAME: 'NAME', PLACE: 'PLACE' },
      path: '/a',
      batch: 2,
      language: 'en',
      offsets: 'utf16',
    },
    schemas: {
      plugin: 'json-schema@^1',
      tools: { search: { type: 'object', properties: { query: { type: 'string' } } } },
      output: { type: 'object' },
      unknown_arguments: 'refuse',
    },
    tools: { plugin: 'tool-use@^1', sinks: ['send', 'post'], readers: ['peek'], trusted_hosts: ['corp.example'] },
  },
  lists: {
    bad_tools: ['rm', 'dd'],
    own_domains: ['corp.example', 'acme.example'],
    outside_texts: ['fetch', 'browse'],
    risky_tools: ['deploy', 'pay'],
  },
  conditions: { mail: CONDITION('EMAIL') },
  rules: [
    {
      id: 'pii.block',
      title: 'T',
      stage: 'pre',
      severity: 'high',
      mode: 'enforce',
      message: 'M',
      when: CONDITION('EMAIL'),
      then: { action: 'block', reason: 'content_policy_violation', detail: 'a-b' },
      on_unknown: 'match',
      rollout: { percent: 50, by: 'api_key' },
      formerly: ['x.y'],
      tags: ['a'],
    },
    {
      id: 'pii.mask',
      stage: 'pre',
      severity: 'high',
      when: { 'pii.types': { any_of: ['PHONE', 'IBAN'] } },
      then: { action: 'redact', redact: { entities: ['PHONE', 'IBAN'], label: 'contact' } },
      on_unknown: 'match',
    },
    {
      id: 'words.block',
      stage: 'pre',
      severity: 'high',
      when: { any: [{ 'words.score': { gte: 0.7 } }, { 'hid.score': { gte: 0.7 } }] },
      then: { action: 'block', reason: 'content_policy_violation' },
      on_unknown: 'no_match',
    },
    {
      id: 'tool.block',
      stage: 'tool',
      severity: 'high',
      when: { 'tool.name': { tool_any_of: '$lists.bad_tools' } },
      then: { action: 'block', reason: 'tool_use_blocked' },
      on_unknown: 'match',
    },
    { id: 'count.flag', stage: 'pre', severity: 'low', when: { 'pii.count': { gt: 0 } }, then: { action: 'flag' } },
    { id: 'mail.flag', stage: 'post', severity: 'low', when: { use: 'mail' }, then: { action: 'flag' } },
    {
      id: 'mail.outside',
      stage: 'tool',
      severity: 'high',
      when: {
        tool_calls: {
          some: { all: [{ name: 'send_email' }, { not: { 'args.to': { email_domain_in: '$lists.own_domains' } } }] },
        },
      },
      then: { action: 'block', reason: 'tool_use_blocked' },
      on_unknown: 'no_match',
    },
    {
      id: 'flow.flag',
      stage: 'tool',
      severity: 'high',
      when: {
        flow: {
          from: { tool_result: { name: { in: '$lists.outside_texts' } } },
          to: { tool_call: { name: { in: '$lists.risky_tools' } } },
        },
      },
      then: { action: 'flag' },
    },
  ],
  overrides: [{ rule: 'old.flag', because: 'B', set: { severity: 'medium' } }],
  exceptions: [
    {
      id: 'EX-1',
      rules: ['words.block', 'old.flag'],
      when: { 'app.name': 'hr' },
      effect: 'monitor',
      because: 'B',
      approved_by: 'a@b.example',
      ticket: 'T-1',
      expires: '2026-12-31T00:00:00Z',
    },
  ],
  budgets: [
    {
      id: 'team',
      scope: ['app', 'model'],
      window: { per: 'day', timezone: 'UTC' },
      limit: { usd: 50 },
      warn_at: [0.5, 0.8],
      on_exceed: 'block',
      on_unknown_price: 'refuse',
    },
  ],
};

interface Others {
  readonly weaker?: { readonly value: unknown };
  readonly stricter?: { readonly value: unknown };
  /** A value that is neither weaker nor stricter. */
  readonly either?: { readonly value: unknown };
}

const pair = (weaker: unknown, stricter: unknown): Others => ({
  weaker: { value: weaker },
  stricter: { value: stricter },
});
const weaker = (value: unknown): Others => ({ weaker: { value } });
const either = (value: unknown): Others => ({ either: { value } });
const deadline = pair(100, 5000);
const price = pair(0.5, 20);

/** Other values of each leaf. A leaf that is already as strict or as weak as possible has only one. */
export const OTHER_VALUES: Readonly<Record<string, Others>> = {
  default: { stricter: { value: 'block' } },
  mode: weaker('monitor'),
  client_monitor_mode: weaker('honor'),
  content: pair('full', 'none'),
  'retention.content': pair('90d', '7d'),
  'retention.records': pair('100d', '800d'),
  'retention.holds[].match.*': either('other'),
  'retention.holds[].until': pair('2027-01-31T00:00:00Z', '2027-12-31T00:00:00Z'),
  media: pair('pass', 'refuse'),
  'unread.governed': pair('pass', 'refuse'),
  'unread.other': pair('pass', 'refuse'),
  'unmaskable.documents': weaker('flag'),
  'unmaskable.signed': weaker('flag'),
  default_max_tokens: pair(40_000, 400),
  on_blocked_history: weaker('drop'),
  'stages.pre.deadline_ms': deadline,
  'stages.post.deadline_ms': deadline,
  'stages.tool.deadline_ms': deadline,
  'prices.*.input_usd_per_million': price,
  'prices.*.output_usd_per_million': price,
  'prices.*.cache_read_usd_per_million': price,
  'prices.*.cache_write_usd_per_million': price,
  'prices.*.cache_write_1h_usd_per_million': price,
  'prices.*.reasoning_usd_per_million': price,
  'budgets[].id': either('other'),
  'budgets[].scope': pair(['app', 'model', 'key'], ['app']),
  'budgets[].window.per': pair('hour', 'month'),
  'budgets[].window.timezone': either('Europe/Berlin'),
  'budgets[].limit.usd': pair(500, 5),
  'budgets[].limit.tokens': either(7),
  'budgets[].warn_at': pair([0.9], [0.2, 0.5, 0.8]),
  'budgets[].on_exceed': weaker('record'),
  'budgets[].on_unknown_price': weaker('allow'),
  'detectors.*.plugin': either('prompt-injection@^1'),
  'detectors.*.min_score': pair(0.9, 0.1),
  'detectors.*.codes': pair(['EMAIL', 'PHONE', 'IBAN'], ['EMAIL', 'PHONE', 'IBAN', 'CREDIT_CARD', 'US_SSN']),
  'detectors.*.timeout_ms': deadline,
  'detectors.*(keywords).lists.*.words': pair(['kestrel'], ['kestrel', 'blue harbor', 'osprey']),
  'detectors.*(keywords).lists.*.case_sensitive': { stricter: { value: false } },
  'detectors.*(keywords).lists.*.whole_words': { stricter: { value: false } },
  'detectors.*(keywords).lists.*.score': weaker(0.4),
  'detectors.*(regex).patterns.*[].pattern': weaker('HID-9'),
  'detectors.*(regex).patterns.*[].case_sensitive': { stricter: { value: false } },
  'detectors.*(regex).patterns.*[].group': either(1),
  'detectors.*(regex).patterns.*[].score': weaker(0.4),
  'detectors.*(pii).regions': pair(['DE'], ['DE', 'FR', 'GB']),
  'detectors.*(pii).locales': pair(['en'], ['en', 'de', 'fr']),
  'detectors.*(remote).service': either('near'),
  'detectors.*(remote).format': either('presidio'),
  'detectors.*(remote).entities': either({ NAME: 'NAME' }),
  'detectors.*(remote).path': either('/b'),
  'detectors.*(remote).language': either('de'),
  'detectors.*(remote).offsets': either('code_points'),
  'detectors.*(json-schema).tools': either({}),
  'detectors.*(json-schema).output': either({ type: 'array' }),
  'detectors.*(json-schema).unknown_arguments': weaker('allow'),
  'detectors.*(tool-use).sinks': pair(['send'], ['send', 'post', 'beam']),
  'detectors.*(tool-use).readers': pair(['peek', 'look'], []),
  'detectors.*(tool-use).trusted_hosts': pair(['corp.example', 'x.example'], []),
  'lists.*': pair(['rm'], ['rm', 'dd', 'mv']),
  'rules[].id': either('pii.other'),
  'rules[].stage': weaker('post'),
  'rules[].mode': weaker('monitor'),
  'rules[].when': pair(
    { all: [CONDITION('EMAIL'), { 'pii.count': { gt: 3 } }] },
    { 'pii.types': { any_of: ['EMAIL', 'PHONE'] } },
  ),
  'rules[].then.action': weaker('flag'),
  'rules[].then.redact.entities': pair(['PHONE'], ['PHONE', 'IBAN', 'EMAIL']),
  'rules[].then.redact.tokens': weaker('stable'),
  'rules[].then.redact.restore': weaker(true),
  'rules[].on_unknown': weaker('no_match'),
  'rules[].rollout.percent': pair(10, 100),
  'exceptions[].rules': pair(['words.block', 'old.flag', 'pii.block'], ['old.flag']),
  'exceptions[].when': pair(
    { 'app.name': { in: ['hr', 'it'] } },
    { all: [{ 'app.name': 'hr' }, { 'model.name': 'gpt-4o' }] },
  ),
  'exceptions[].effect': weaker('skip'),
  'exceptions[].expires': pair('2027-12-31T00:00:00Z', '2026-12-01T00:00:00Z'),
};

/** Other entries of lists that conditions name inside `some` and in both steps of `flow`. */
export const LISTS_INSIDE: Readonly<Record<string, Others>> = {
  own_domains: pair(['corp.example', 'acme.example', 'attacker.example'], ['corp.example']),
  outside_texts: pair(['fetch'], ['fetch', 'browse', 'search']),
  risky_tools: pair(['pay'], ['deploy', 'pay', 'refund']),
};

/** The full policy with other entries of one list. */
export function changedList(name: string, entries: unknown): Plain {
  return { ...structuredClone(FULL_POLICY), lists: { ...FULL_POLICY.lists, [name]: entries } } as unknown as Plain;
}

export type Plain = string | number | boolean | null | undefined | Plain[] | { [key: string]: Plain };

/** The full policy with another value at a leaf; undefined removes the leaf. */
export function changedLeaf(leaf: string, value: Plain): Plain {
  const copy = structuredClone(FULL_POLICY) as unknown as Plain;
  const plugin = /\((.+?)\)/.exec(leaf)?.[1];
  const steps = leaf
    .replace(/\(.+?\)/, '')
    .replaceAll('[]', '.[]')
    .split('.');
  let at = copy as Record<string, Plain>;
  steps.forEach((step, index) => {
    const keys = Object.keys(at);
    const rule = leaf.includes('redact') ? 1 : leaf.endsWith('on_unknown') ? 3 : 0;
    const key =
      step === '[]'
        ? leaf.startsWith('rules')
          ? rule
          : 0
        : step !== '*'
          ? step
          : keys.find(
              (one) =>
                plugin === undefined ||
                index > 1 ||
                String((at[one] as Record<string, Plain>)['plugin']).startsWith(`${plugin}@`),
            )!;
    if (leaf === 'detectors.*.plugin' && index === 1) at = at['extra'] as Record<string, Plain>;
    else if (index < steps.length - 1) at = at[key] as Record<string, Plain>;
    else if (value === undefined) delete at[key];
    else at[key] = value;
    // A limit is either in dollars or in tokens.
    if (leaf.endsWith('limit.tokens') && index === steps.length - 1) delete at['usd'];
    // With `formerly`, a rollout selects the same keys under the new id.
    if (leaf === 'rules[].id' && index === steps.length - 1) delete at['formerly'];
    if (leaf === 'rules[].mode' && index === steps.length - 1) at['review_by'] = '2026-12-31';
    if (leaf.endsWith('then.action') && index === steps.length - 1)
      for (const key of ['reason', 'detail']) delete at[key];
    if (leaf.endsWith('redact.restore') && index === steps.length - 1) at['tokens'] = 'stable';
  });
  return copy;
}

type Full = typeof FULL_POLICY;

/** Weakening changes to leaves whose effect shows only in the resolved policy. */
export const INHERITED_CHANGES: Readonly<Record<string, (policy: Full) => unknown>> = {
  extends: (policy) => ({ ...policy, extends: [], overrides: [], exceptions: [] }),
  'defaults.on_unknown': (policy) => {
    const [first, ...others] = policy.rules;
    const { on_unknown: _said, ...rule } = first!;
    return { ...policy, defaults: { on_unknown: 'no_match' }, rules: [rule, ...others] };
  },
  'conditions.*': (policy) => ({ ...policy, conditions: { mail: CONDITION('IBAN') } }),
  'overrides[].rule': (policy) => ({
    ...policy,
    overrides: [{ rule: 'old.flag', because: 'B', weakens: true, set: { mode: 'monitor', review_by: '2026-12-31' } }],
  }),
  'overrides[].set': (policy) => ({
    ...policy,
    overrides: [{ rule: 'old.flag', because: 'B', weakens: true, set: { 'then.action': 'allow' } }],
  }),
};
