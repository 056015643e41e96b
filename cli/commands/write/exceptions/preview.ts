import { z } from 'zod';
import { EXCEPTION, exceptionsOf } from '../../../../src/authoring/index.js';
import { yieldPoint } from '../../../yield-point.js';
import { defineCommand, textOption } from '../../../command.js';
import { exceptionLines } from '../../../deploy/exception-list.js';
import { exceptionNamed, type NamedException } from '../../../deploy/named-exception.js';
import { effectText } from '../../../deploy/plan-text.js';
import { EFFECT, effectOf } from '../../../deploy/plan.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { loadCompiledProject, POLICIES_OPTION } from '../../../input/compiled-project.js';
import { write } from '../../../io.js';
import { colours } from '../../../output/colour.js';
import { required, timeOf } from '../../../../src/core/index.js';

const PREVIEW = z.strictObject({
  exception: EXCEPTION,
  at: z.string().describe('Time of the preview.'),
  over: z.boolean().describe('Whether the exception has expired by the time of the preview.'),
  effect: EFFECT.describe(
    'Decisions that change when the exception ends, found by judging requests with and without the exception.',
  ),
});
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), previews: z.array(PREVIEW) });

/** `weir exceptions preview <id>`: shows requests that are judged differently after the exception has ended. */
export const exceptionsPreview = defineCommand({
  usage: 'preview <id>',
  summary: 'Show requests whose decision changes when an exception expires',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Exception id such as EX-0042' },
  },
  options: {
    ...POLICIES_OPTION,
    at: textOption(
      'Time of the call as a date or a time such as 2026-12-31T12:00:00Z; default: the expiry of the exception',
    ),
  },
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const { policies, catalog } = await loadCompiledProject(args, context);
    const nowMs = Date.now();
    const paint = colours(io.stdout, io.env, args.color);
    const previews: z.infer<typeof PREVIEW>[] = [];
    for (const named of exceptionNamed(args.id, policies)) {
      const atMs = args.at === undefined ? named.exception.expiresAtMs : instant(args.at);
      const effect = await effectOf(withIt(named), withoutIt(named), catalog, before(named), yieldPoint(io));
      const exception = required(
        exceptionsOf(named.policy, nowMs).find(({ id }) => id === args.id),
        args.id,
      );
      previews.push({ exception, at: new Date(atMs).toISOString(), over: named.exception.expiresAtMs <= atMs, effect });
    }
    const lines = previews.flatMap(({ exception, at, over, effect }) => [
      ...exceptionLines(exception, nowMs),
      over
        ? `    at ${at} the exception has expired; its end changes these decisions:`
        : `    at ${at} the exception still applies; its end will change these decisions:`,
      ...effectText(effect, paint),
    ]);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, previews };
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : `${lines.join('\n')}\n`);
    const changed = previews.reduce((sum, { effect }) => sum + effect.changed.stricter + effect.changed.other, 0);
    const words =
      changed === 0
        ? 'the end of the exception changes the decision on none of the tried requests'
        : `the end of the exception changes the decision on ${changed} of the tried requests`;
    return { exit: EXIT.ok, words };
  },
});

/** The millisecond before the expiry of the exception: at that time, the exception is the only difference. */
function before({ exception }: NamedException): number {
  return exception.expiresAtMs - 1;
}

function withIt({ policy }: NamedException) {
  return policy;
}

function withoutIt({ policy, exception }: NamedException) {
  return { ...policy, exceptions: policy.exceptions.filter(({ id }) => id !== exception.id) };
}

function instant(text: string): number {
  const ms = timeOf(text);
  if (ms === undefined)
    throw usageError('--at takes a day such as 2026-12-31, or a time with its time zone: 2026-12-31T12:00:00Z');
  return ms;
}
