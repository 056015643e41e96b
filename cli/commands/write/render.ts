import { z } from 'zod';
import { renderPolicy, type RenderedLine } from '../../../src/authoring/index.js';
import { defineCommand } from '../../command.js';
import { ENVIRONMENT_ARGUMENT, ENVIRONMENT_FLAG } from '../../deploy/flags.js';
import { EXIT, type Outcome } from '../../exit-code.js';
import { policyNamed, loadCompiledProject, POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { neededEnvironment } from '../../vocabulary.js';

/** The JSON output of `weir render`. */
const RENDER_REPORT = z.object({
  schemaVersion: z.literal(1),
  environment: z.string(),
  lines: z.array(
    z.object({ text: z.string(), file: z.string().optional(), line: z.int().optional(), column: z.int().optional() }),
  ),
});

const WIDEST = 100;

/** `weir render`: prints the effective policy of one environment. */
export const render = defineCommand({
  usage: 'render [environment]',
  summary: 'Print the effective policy of an environment after overrides',
  positionals: ENVIRONMENT_ARGUMENT,
  options: {
    ...POLICIES_OPTION,
    ...ENVIRONMENT_FLAG,
    'source-map': {
      type: 'boolean',
      default: false,
      describe: 'Add the file and line of origin to each line',
    },
  },
  examples: [['$0 render production --source-map', 'the policy after all extends, overrides and lists']],
  output: RENDER_REPORT,

  async run(args, context): Promise<Outcome> {
    const { policies } = await loadCompiledProject(args, context);
    const policy = policyNamed(neededEnvironment(args), policies);
    const { environment } = policy;
    const lines = renderPolicy(policy);
    const { io } = context;
    const paint = colours(io.stdout, io.env, args.color);
    const text = args.json
      ? `${JSON.stringify({ schemaVersion: 1, environment, lines: lines.map(plainLine) }, null, 2)}\n`
      : lines.map((line) => `${args.sourceMap ? mapped(line, lines, paint.dim) : line.text}\n`).join('');
    await write(io.stdout, text);
    return { exit: EXIT.ok, words: `${environment} has ${policy.rules.length} rules in force` };
  },
});

function plainLine({ text, at }: RenderedLine): unknown {
  return { text, ...(at !== undefined && { file: at.file, line: at.line, column: at.column }) };
}

/** Appends the origin as a comment, so that the output is still YAML. */
function mapped({ text, at }: RenderedLine, all: readonly RenderedLine[], paint: (text: string) => string): string {
  if (at === undefined) return text;
  const width = Math.min(WIDEST, Math.max(...all.map((line) => line.text.length)));
  return `${text.padEnd(width)} ${paint(`# ${at.file}:${at.line}`)}`;
}
