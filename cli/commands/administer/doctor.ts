import { z } from 'zod';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand } from '../../command.js';
import { CHECKS, unchecked, type Finding } from '../../doctor/checks.js';
import { EXIT } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { plural } from '../../output/plural.js';

const STATUS = z.enum(['ok', 'warning', 'problem', 'skipped']);
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      status: STATUS,
      message: z.string(),
      next: z.string().nullable().describe('Advice for the next step.'),
    }),
  ),
});

const SIGNS = { ok: '✓', warning: '!', problem: '✗', skipped: '-' } as const;

/** `weir doctor`: checks the installation, and suggests a fix for each problem. */
export const doctor = defineCommand({
  usage: 'doctor',
  summary: 'Check the installation and suggest fixes',
  options: {
    ...POLICIES_OPTION,
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, context) {
    const paint = colours(context.io.stdout, context.io.env, args.color);
    const paints = { ok: paint.green, warning: paint.yellow, problem: paint.red, skipped: paint.dim } as const;
    const found: (Finding & { name: string })[] = [];
    for (const { name, check } of CHECKS) {
      const finding = { name, ...(await check(args, context).catch((error: unknown) => unchecked(error, context))) };
      found.push(finding);
      if (args.json) continue;
      const sign = paints[finding.status](SIGNS[finding.status]);
      const next = finding.next === null ? '' : `\n              next: ${finding.next}`;
      await write(context.io.stdout, `${sign} ${name.padEnd(12)}${finding.message}${next}\n`);
    }
    if (args.json) {
      const checks = found.map(({ name, status, message, next }) => ({ name, status, message, next }));
      await write(context.io.stdout, `${JSON.stringify({ schemaVersion: 1, checks })}\n`);
    }
    const problems = found.filter(({ status }) => status === 'problem').length;
    const warnings = found.filter(({ status }) => status === 'warning').length;
    const words = `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}`;
    return { exit: problems === 0 ? EXIT.ok : EXIT.findings, words };
  },
});
