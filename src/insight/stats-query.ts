import { BadParameter, parameter, type QueryOf, type QueryParameter } from '../http/index.js';
import { ENVIRONMENTS, type ErrorDetail } from '../core/index.js';
import { MINUTES_KEPT_DAYS } from '../events/index.js';

export const STEPS_SECONDS = [60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400] as const;
const MAX_STEP = 86_400;
/** The default number of bars in a chart. */
const AUTO_BUCKETS = 60;
const MAX_BUCKETS = 1_500;
const DAY_MS = 86_400_000;
const MAX_RANGE_MS = 400 * DAY_MS;

export const GROUPINGS = ['outcome', 'environment', 'app', 'model', 'key', 'rule'] as const;
/** Hits of rules, and calls of old times, are stored per hour. */
const HOUR_STEP = 3_600;
export const METRICS = ['calls', 'cost', 'tokens', 'weir_ms'] as const;

const step: QueryParameter<number | 'auto'> = {
  about: `Length of a bucket in seconds: whole minutes, or above one hour whole hours, that divide a day evenly. \`auto\` chooses a length that results in about 60 buckets. Whole hours if the range and the period before it began over ${MINUTES_KEPT_DAYS} days ago: sums per minute are kept for so long.`,
  schema: { type: 'string', default: 'auto', pattern: '^(?:auto|[0-9]{2,5})$' },
  read: (value) => {
    if (value === 'auto') return 'auto';
    const seconds = /^\d{1,5}$/.test(value) ? Number(value) : 0;
    const isWhole = seconds >= 60 && seconds <= MAX_STEP && seconds % 60 === 0 && MAX_STEP % seconds === 0;
    if (!isWhole)
      throw new BadParameter(
        'must be `auto`, or a number of seconds from 60 that divides a day evenly, such as 60, 300 or 3600',
      );
    return seconds;
  },
};

export const STATS_QUERY = {
  environment: parameter.oneOf(ENVIRONMENTS, 'Effective environment.'),
  app: parameter.text('Id or name of an app.'),
  model: parameter.text('Model name.'),
  key: parameter.text("A key's public id.", 40),
  rule: parameter.text('Id of a rule; only with `group_by=rule`.'),
  from: parameter.instant('Start of the range: calls that began at or after this time. Default: a day before `to`.'),
  to: parameter.instant('End of the range: calls that began before this time. Default: now.'),
  step,
  group_by: parameter.oneOf(
    GROUPINGS,
    'How the figures are grouped; `outcome` when absent. With `rule`, the figures are numbers of hits; the buckets are then whole hours, and figures per model or key are not available.',
  ),
  top: parameter.integer(
    1,
    50,
    'Number of groups to return: those with the most calls; all other groups are combined into one. 5 when absent.',
  ),
  metrics: parameter.listOf(parameter.oneOf(METRICS, 'Figures to return; all when absent.')),
};

export interface StatsRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds: number;
}

/** An unsupported combination of parameters, if any: hits of rules are stored only per app and hour. */
export function groupingProblem(query: QueryOf<typeof STATS_QUERY>): ErrorDetail | undefined {
  const { group_by: by, rule, model, key, step: asked = 'auto' } = query;
  if (by !== 'rule')
    return rule === undefined ? undefined : { path: 'rule', message: 'is supported with group_by=rule only' };
  const narrowed = model === undefined ? (key === undefined ? undefined : 'key') : 'model';
  if (narrowed !== undefined) return { path: narrowed, message: 'is not supported with group_by=rule' };
  if (asked === 'auto' || asked % HOUR_STEP === 0) return undefined;
  return { path: 'step', message: 'must be a whole hour with group_by=rule' };
}

/** Whole buckets that cover the requested range. @throws {BadParameter} for an invalid range, with the reason */
export function rangeOf(query: QueryOf<typeof STATS_QUERY>, nowMs: number): StatsRange {
  const toMs = query.to?.getTime() ?? nowMs;
  const fromMs = query.from?.getTime() ?? toMs - DAY_MS;
  const spanMs = toMs - fromMs;
  if (!(spanMs > 0 && spanMs <= MAX_RANGE_MS)) throw new BadParameter('must be before `to`, by at most 400 days');
  const asked = query.step ?? 'auto';
  // The period before the range is read with the same step.
  const isOld = fromMs - spanMs < nowMs - MINUTES_KEPT_DAYS * DAY_MS;
  const least = query.group_by === 'rule' || isOld ? HOUR_STEP : 0;
  const auto = STEPS_SECONDS.find((seconds) => seconds >= least && spanMs / 1000 / seconds <= AUTO_BUCKETS) ?? MAX_STEP;
  const stepSeconds = asked === 'auto' ? auto : asked;
  if (isOld && stepSeconds % HOUR_STEP !== 0) {
    throw new BadParameter(
      `needs a step of whole hours, because the range and the period before it began over ${MINUTES_KEPT_DAYS} days ago`,
    );
  }
  const stepMs = stepSeconds * 1000;
  const range = { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs, stepSeconds };
  if ((range.toMs - range.fromMs) / stepMs > MAX_BUCKETS) {
    throw new BadParameter(`results in more than ${MAX_BUCKETS} buckets with this step`);
  }
  return range;
}
