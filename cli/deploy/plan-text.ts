import type { PolicyChange } from '../../src/authoring/index.js';
import { colours, type Colours } from '../output/colour.js';
import type { Plan } from './plan.js';

const SHOWN_EXAMPLES = 10;
const VERSION_LENGTH = 12;

/** The first twelve characters of a digest, for display. */
export function short(digest: string | null): string {
  return digest === null ? 'none' : digest.slice(0, VERSION_LENGTH);
}

/** A deployment number such as `#42`, or `policies folder` if nothing is deployed. */
export function numbered(number: number | null): string {
  return number === null || number === 0 ? 'policies folder' : `#${number}`;
}

/** A plan for a terminal. */
export function planText(plan: Plan, paint: Colours, all?: boolean): string {
  const { base, digest, environment, changes, replicas, emergency } = plan;
  return [
    `${paint.bold('Plan')}    ${environment}  ${numbered(base.number)} ${short(base.digest)} → ${short(digest)}  ${sourceText(plan)}`,
    ...(changes.length === 0 ? ['  no rule, exception or setting changes'] : changesText(changes, paint)),
    ...plan.plugins.map((one) => `  ~ plugin ${one.plugin}  ${one.before ?? 'none'} → ${one.after ?? 'none'}`),
    ...effectText(plan.effect, paint, all),
    ...checksText(plan, paint),
    `${paint.bold('Server')}  ${replicasText(replicas)}`,
    ...(emergency === null
      ? []
      : [
          paint.red(`Drift   #${emergency.number} was changed on the server: ${emergency.because ?? ''}`),
          `        the sources lack this change (${emergency.changed_files.join(', ')}): see weir pull ${environment} --as-patch`,
        ]),
  ].join('\n');
}

/** A plan as a comment on a pull request. */
export function planMarkdown(plan: Plan, all: boolean): string {
  const [head = '', ...lines] = planText(plan, colours({}, {}, false), all).split('\n');
  // Backticks in policies and requests must not end the code block, so the fence is longer.
  const longest = Math.max(2, ...[...lines.join('\n').matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [`## ${head.replace(/\s+/g, ' ')}`, '', fence, ...lines, fence].join('\n');
}

function sourceText({ bundle: { source, signatures } }: Plan): string {
  const commit = source.commit === null ? 'no git commit' : `git ${source.commit.slice(0, VERSION_LENGTH)}`;
  const state = source.commit === null ? '' : source.clean ? ' (clean)' : ' (with uncommitted changes)';
  return `${commit}${state}${signatures.length === 0 ? '' : ', signed'}`;
}

const SIGN = { added: '+', removed: '-', changed: '~' } as const;

/** One line per difference. */
export function changesText(changes: readonly PolicyChange[], paint: Colours): string[] {
  const width = Math.min(40, Math.max(...changes.map(({ id, what }) => labelOf(what, id).length)));
  return changes.flatMap((one) => {
    const { change, what, id, details } = one;
    const line = `  ${SIGN[change]} ${labelOf(what, id).padEnd(width)}  ${details.join(' · ')}`.trimEnd();
    const word = effectWord(one);
    // For effects found in requests, the list of requests shows the reason.
    const reasons = word === '' || one.evidence === 'requests' ? [] : one.why.map((why) => `      ${why}`);
    return [word === '' ? line : `${line}  ${paint.red(word)}`, ...reasons];
  });
}

function effectWord({ weaker, effect, evidence }: PolicyChange): string {
  if (weaker || effect === 'weaker') return 'WEAKER';
  return effect === 'incomparable' && evidence !== 'requests' ? 'NOT COMPARABLE' : '';
}

function labelOf(what: PolicyChange['what'], id: string): string {
  return what === 'rule' || what === 'exception' ? id : `${what} ${id}`;
}

/**
 * The changed verdicts of requests as text.
 *
 * @param all whether to show every example; absent where the command has no flag for that
 */
export function effectText(effect: Plan['effect'], paint: Colours, all?: boolean): string[] {
  const { weaker, stricter, other } = effect.changed;
  if (effect.requests === 0) return [];
  const reach = effect.complete ? '' : ', more were not tried';
  return [
    `${paint.bold('Effect')}  ${effect.requests} requests tried${reach}: ${weaker} weaker, ${stricter} stricter, ${other} other`,
    ...effect.examples
      .slice(0, all === true ? undefined : SHOWN_EXAMPLES)
      .map(({ direction, stage, verdict, when }) => {
        const word =
          direction === 'weaker' ? paint.red('WEAKER  ') : direction === 'stricter' ? 'stricter' : 'other   ';
        return `  ${word} ${stage}  ${verdict}  ${when}`;
      }),
    ...(all !== true && effect.examples.length > SHOWN_EXAMPLES
      ? [
          `  … ${weaker + stricter + other - SHOWN_EXAMPLES} more (${all === undefined ? `--json has the first ${effect.examples.length}` : '--all shows them'})`,
        ]
      : []),
    ...effect.changed_detectors.map((key) => `  detector ${key} has changed: its findings are not compared`),
  ];
}

function checksText({ checks: { lint, tests, coverage } }: Plan, paint: Colours): string[] {
  const mark = (good: boolean): string => (good ? paint.green('✓') : paint.red('✗'));
  const ran = tests.passed + tests.failed;
  const warnings = lint.warnings === 0 ? '' : ` (${lint.warnings} warnings)`;
  return [
    `${paint.bold('Checks')}  lint ${mark(lint.errors === 0)}${warnings}   ` +
      `tests ${tests.passed}/${ran} ${mark(tests.failed === 0 && ran > 0)}   conditions ${coverage.percent} %`,
    ...tests.failures.map((failure) => `  ${paint.red('failed')}  ${failure}`),
    ...(lint.errors === 0 ? [] : lint.findings.map((finding) => `  lint    ${finding}`)),
  ];
}

function replicasText({ active, pending, failed, lost }: Plan['replicas']): string {
  const parts = [`${active} active`];
  if (pending > 0) parts.push(`${pending} pending`);
  if (failed > 0) parts.push(`${failed} failed`);
  if (lost > 0) parts.push(`${lost} lost`);
  return `replicas: ${parts.join(', ')}`;
}
