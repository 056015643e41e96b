import { ACTION_NAMES } from '../../core/model/actions.js';
import type { LeafClass } from './leaf-class.js';
import { DAYS_OF_RECORDS, DAYS_OF_TEXTS, HELD, UNTIL } from './retention-orders.js';
import { amounts, INCOMPARABLE, NEUTRAL, ranked, SCORES, sets, SHARES, WINDOWS, type Order } from './order.js';
import { OPTION_CLASSES } from './option-classes.js';

const judged = (order: Order, why: string): LeafClass => ({ order, comparedBy: 'requests', why });
const valued = (order: Order, why: string): LeafClass => ({ order, comparedBy: 'values', why });
const neutral = (why: string): LeafClass => valued(NEUTRAL, why);

const FOR_PEOPLE = 'Text for people; it does not affect decisions.';
const RESOLVED = 'The effect of this key is compared in the resolved policy.';
const UNREAD = ranked('refuse', 'flag', 'pass');
const UNMASKED = ranked('refuse', 'flag');
const MODE = ranked('enforce', 'monitor');
const MORE_TIME = amounts({ stricter: 'higher', none: 'incomparable', max: 60_000 });
const PRICE = amounts({ stricter: 'higher', none: 'incomparable' });
const PRICED = 'At a lower price, budgets count less for the same call.';
const CONDITION = judged(INCOMPARABLE, 'Conditions are compared by requests on both sides of every boundary.');

/** Settings of the whole policy. */
const SETTINGS: Readonly<Record<string, LeafClass>> = {
  apiVersion: neutral('There is one version of the format.'),
  kind: neutral('There is one kind of policy.'),
  'metadata.id': neutral(FOR_PEOPLE),
  'metadata.title': neutral(FOR_PEOPLE),
  'metadata.owner': neutral(FOR_PEOPLE),
  'metadata.description': neutral(FOR_PEOPLE),
  environment: neutral('The value must be the environment of the folder.'),
  extends: neutral(RESOLVED),
  default: judged(ranked('block', 'allow'), 'The default decides calls that no rule matches.'),
  mode: judged(MODE, 'In monitor mode, nothing is blocked or masked.'),
  client_monitor_mode: judged(ranked('ignore', 'honor'), 'With `honor`, a caller can have its calls pass unchanged.'),
  content: valued(
    ranked('none', 'redacted', 'full'),
    'With `full`, the log stores the values that were masked in the call.',
  ),
  'retention.content': valued(
    DAYS_OF_TEXTS,
    'With a longer time, texts are stored for longer. With a shorter time, texts are deleted permanently, and a later policy cannot restore them.',
  ),
  'retention.records': valued(
    DAYS_OF_RECORDS,
    'With a shorter time, events are deleted permanently, and a later policy cannot restore them.',
  ),
  'retention.holds[].id': neutral(FOR_PEOPLE),
  'retention.holds[].match.*': valued(
    HELD,
    'Events that are no longer held are deleted permanently when their retention period ends.',
  ),
  'retention.holds[].because': neutral(FOR_PEOPLE),
  'retention.holds[].until': valued(
    UNTIL,
    'Events that are no longer held are deleted permanently when their retention period ends.',
  ),
  media: valued(UNREAD, 'The content of images, audio and video is not analysed.'),
  'unread.governed': valued(UNREAD, 'Unreadable bytes are not judged.'),
  'unread.other': valued(UNREAD, 'Unreadable bytes are not judged.'),
  'unmaskable.documents': valued(UNMASKED, 'With `flag`, a document is forwarded with content that a rule would mask.'),
  'unmaskable.signed': valued(
    UNMASKED,
    'With `flag`, signed reasoning is forwarded with content that a rule would mask.',
  ),
  default_max_tokens: valued(
    amounts({ stricter: 'lower', none: 'weakest', max: 10_000_000 }),
    'A proxied call that sets no output limit can generate up to this many billed tokens.',
  ),
  on_disconnect: neutral(
    'The client never receives the rest of the answer; the value only decides whether the rest is read and paid for.',
  ),
  on_blocked_history: valued(
    ranked('refuse', ['drop', 'replace']),
    'With `drop` or `replace`, the call continues without the blocked turn.',
  ),
  max_policy_age: neutral('Not available in this release: a policy with this key does not compile.'),
  'defaults.on_unknown': neutral(RESOLVED),
  'stages.pre.deadline_ms': valued(
    MORE_TIME,
    'A detector that takes longer has no result, and rules are evaluated without it.',
  ),
  'stages.post.deadline_ms': valued(
    MORE_TIME,
    'A detector that takes longer has no result, and rules are evaluated without it.',
  ),
  'stages.tool.deadline_ms': valued(
    MORE_TIME,
    'A detector that takes longer has no result, and rules are evaluated without it.',
  ),
};

const MONEY: Readonly<Record<string, LeafClass>> = {
  'prices.*.input_usd_per_million': valued(PRICE, PRICED),
  'prices.*.output_usd_per_million': valued(PRICE, PRICED),
  'prices.*.cache_read_usd_per_million': valued(PRICE, PRICED),
  'prices.*.cache_write_usd_per_million': valued(PRICE, PRICED),
  'prices.*.cache_write_1h_usd_per_million': valued(PRICE, PRICED),
  'prices.*.reasoning_usd_per_million': valued(PRICE, PRICED),
  'budgets[].id': valued(INCOMPARABLE, 'The budget is replaced by a new budget, of which nothing is used.'),
  'budgets[].scope': valued(
    sets('weaker'),
    'A finer scope gives more callers a full limit of their own, so total spending can be higher.',
  ),
  'budgets[].window.per': valued(
    WINDOWS,
    'The shorter the window, the more often the limit can be spent. A week can extend into two months.',
  ),
  'budgets[].window.timezone': valued(INCOMPARABLE, 'In another time zone, windows begin at other times.'),
  'budgets[].limit.usd': valued(amounts({ stricter: 'lower', none: 'incomparable' }), 'Calls can spend more or less.'),
  'budgets[].limit.tokens': valued(amounts({ stricter: 'lower', none: 'incomparable' }), 'Calls can use more or less.'),
  'budgets[].warn_at': valued(SHARES, 'The warning is sent later or not at all.'),
  'budgets[].on_exceed': valued(
    ranked('block', 'record'),
    'With `record`, calls continue after the limit was reached.',
  ),
  'budgets[].on_unknown_price': valued(
    ranked('refuse', 'allow'),
    'With `allow`, calls without a known price are not counted.',
  ),
};

const DETECTORS: Readonly<Record<string, LeafClass>> = {
  'detectors.*.plugin': valued(
    INCOMPARABLE,
    'Another plugin, or another revision of the same plugin, may find more, less or something else.',
  ),
  'detectors.*.min_score': judged(SCORES, 'Findings below the score do not count, and are not masked in the log.'),
  'detectors.*.codes': judged(
    sets('stricter'),
    'The detector does not look for codes that are not listed, so they are not masked in the log either.',
  ),
  'detectors.*.timeout_ms': valued(
    MORE_TIME,
    'A detector that takes longer has no result, and rules are evaluated without it.',
  ),
};

const RULES: Readonly<Record<string, LeafClass>> = {
  'lists.*': judged(INCOMPARABLE, 'The effect depends on the conditions and redactions that name the list.'),
  'conditions.*': neutral(RESOLVED),
  'rules[].id': judged(INCOMPARABLE, 'Without `formerly`, a new id counts as one removed rule and one new rule.'),
  'rules[].title': neutral(FOR_PEOPLE),
  'rules[].stage': judged(INCOMPARABLE, 'At another stage, the rule judges another part of the call.'),
  'rules[].severity': judged(NEUTRAL, 'The severity breaks ties between rules that fire together.'),
  'rules[].mode': judged(MODE, 'A rule in monitor mode blocks and masks nothing.'),
  'rules[].review_by': neutral(FOR_PEOPLE),
  'rules[].message': neutral(FOR_PEOPLE),
  'rules[].when': CONDITION,
  'rules[].then.action': judged(
    ranked(...ACTION_NAMES.toReversed()),
    'With a weaker action, a match of the rule lets more pass.',
  ),
  'rules[].then.reason': judged(NEUTRAL, 'The caller gets another reason; the call is refused in any case.'),
  'rules[].then.detail': neutral(FOR_PEOPLE),
  'rules[].then.answer': neutral('The caller gets another text, or an error; the call is refused in any case.'),
  'rules[].then.redact.entities': judged(sets('stricter'), 'Entities that are not listed are not masked.'),
  'rules[].then.redact.with': judged(
    NEUTRAL,
    'Only the replacement text changes; the value itself is removed either way.',
  ),
  'rules[].then.redact.label': judged(NEUTRAL, 'Only the label of the masked text changes.'),
  'rules[].then.redact.tokens': valued(
    ranked('none', 'stable'),
    'Stable tokens show that two calls contain the same value.',
  ),
  'rules[].then.redact.restore': valued(
    ranked(false, true),
    'With `restore`, the masked values are put back into the answer.',
  ),
  'rules[].on_unknown': judged(
    ranked('match', 'no_match'),
    'With `no_match`, calls pass while the detector is unavailable.',
  ),
  'rules[].rollout.percent': judged(
    amounts({ stricter: 'higher', none: 'strictest', max: 100 }),
    'For keys outside the share, the rule is only monitored.',
  ),
  'rules[].rollout.by': neutral('There is only one way to divide the calls: by key.'),
  'rules[].formerly': neutral(FOR_PEOPLE),
  'rules[].tags': neutral(FOR_PEOPLE),
  'rules[].client_controlled': neutral('The key only documents a decision of the author.'),
  'rules[].because': neutral(FOR_PEOPLE),
  'overrides[].rule': neutral(RESOLVED),
  'overrides[].because': neutral(FOR_PEOPLE),
  'overrides[].weakens': neutral('The key only documents a decision of the author.'),
  'overrides[].set': neutral(RESOLVED),
  'exceptions[].id': neutral(FOR_PEOPLE),
  'exceptions[].rules': judged(sets('weaker'), 'An exception softens the rules that it names.'),
  'exceptions[].when': CONDITION,
  'exceptions[].effect': valued(ranked('monitor', 'skip'), 'A rule that is skipped does not even record its match.'),
  'exceptions[].because': neutral(FOR_PEOPLE),
  'exceptions[].approved_by': neutral(FOR_PEOPLE),
  'exceptions[].ticket': neutral(FOR_PEOPLE),
  'exceptions[].expires': judged(
    amounts({ stricter: 'lower', none: 'incomparable' }),
    'Until the time of expiry, the exception softens its rules.',
  ),
  'exceptions[].client_controlled': neutral('The key only documents a decision of the author.'),
};

/** Every leaf of the policy format by its path: `[]` stands for the items of a list, `*` for any key. */
export const LEAF_CLASSES: Readonly<Record<string, LeafClass>> = {
  ...SETTINGS,
  ...MONEY,
  ...DETECTORS,
  ...Object.fromEntries(
    Object.entries(OPTION_CLASSES).flatMap(([plugin, options]) =>
      Object.entries(options).map(([path, leaf]) => [optionPath(plugin, path), leaf] as const),
    ),
  ),
  ...RULES,
};

/** The path of a plugin's option. */
export function optionPath(plugin: string, path: string): string {
  return `detectors.*(${plugin}).${path}`;
}

/** The class of plugin options that are not in the table. */
const UNKNOWN_OPTION = valued(INCOMPARABLE, 'The effect of this option of a plugin is unknown.');

export function classOf(path: string): LeafClass {
  return LEAF_CLASSES[path] ?? UNKNOWN_OPTION;
}
