import { z } from 'zod';
import { formatPolicyFile, upgradeBuiltIns } from '../../../src/authoring/index.js';
import { formatProblems } from '../../../src/core/index.js';
import { defineCommand, type CommandArgs } from '../../command.js';
import { CliError, EXIT, usageError, type Outcome } from '../../exit-code.js';
import { policyYamlFiles } from '../../input/policy-yaml-files.js';
import { policiesRoot } from '../../input/project.js';
import { stdinText } from '../../input/stdin-text.js';
import { write, type Io } from '../../io.js';
import { STDIN, writeNamedFile } from '../../named-files.js';
import { colours } from '../../output/colour.js';
import { plural } from '../../output/plural.js';
import { unifiedDiff } from '../../output/unified-diff.js';

/** The name of stdin in reports. */
const FROM_STDIN = 'stdin';

interface Formatted {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const OPTIONS = {
  check: { type: 'boolean', default: false, describe: 'Write nothing; exit 1 if a file would change' },
  diff: {
    type: 'boolean',
    default: false,
    describe: 'Print the changes instead of writing them; exit 1 if there are any',
  },
  upgrade: {
    type: 'boolean',
    default: false,
    describe: 'Also upgrade built-in policies such as weir:baseline@1 to their newest version',
  },
} as const;
const ARGUMENTS = {
  paths: { type: 'string', array: true, default: [], describe: 'Files or folders; - reads stdin' },
} as const;

export type FmtArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir fmt`: writes policy, test and project files in canonical form. */
export const fmt = defineCommand({
  usage: 'fmt [paths..]',
  summary: 'Format policy files and keep their comments',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 fmt', 'all files of the policies folder'],
    ['$0 fmt --check', 'in a workflow or before a commit'],
    ['$0 fmt --upgrade && $0 diff --witness', 'the newest baseline, and requests that it judges differently'],
  ],
  output: z.strictObject({
    schemaVersion: z.literal(1),
    changed: z.array(z.string()).describe('Written files; with --check or --diff, files that would be written.'),
    unreadable: z.array(z.string()).describe('Files that cannot be read as YAML and were not changed.'),
    files: z.int(),
    text: z.string().optional().describe('The formatted text of stdin; only with `-`, without --check and --diff.'),
  }),

  async run(args, { io }) {
    if (args.check && args.diff) throw usageError('--check and --diff cannot be combined: --diff includes the check');
    if (args.paths.includes(STDIN)) return formatStdin(args, io);
    const paths = args.paths.length === 0 ? [await policiesRoot(io)] : args.paths;
    const files = await policyYamlFiles(paths, io);
    if (files.length === 0)
      throw new CliError(EXIT.nothing, `no policy file in ${paths.join(', ')}: nothing was formatted`);
    const changed: Formatted[] = [];
    const unreadable: string[] = [];
    for (const { path: file, text } of files) {
      io.signal.throwIfAborted();
      const wanted = args.upgrade ? upgradeBuiltIns(text) : text;
      const result = formatPolicyFile(file, wanted);
      if (result.kind === 'formatted' && result.text !== text) changed.push({ file, before: text, after: result.text });
      if (result.kind === 'unsafe' && wanted !== text) changed.push({ file, before: text, after: wanted });
      else if (result.kind === 'unsafe') await write(io.stderr, `${file}: not formatted: its comments would be lost\n`);
      if (result.kind !== 'unreadable') continue;
      unreadable.push(file);
      await write(io.stderr, `${formatProblems(result.problems, new Map([[file, text]]))}\n`);
    }
    const isDry = args.check || args.diff;
    if (!isDry) for (const { file, after } of changed) await writeNamedFile(file, after, io);
    await print(changed, { args, unreadable, files: files.length }, io);
    return outcomeOf(changed.length, unreadable.length, files.length, isDry);
  },
});

async function print(
  changed: readonly Formatted[],
  { args, unreadable, files, text }: { args: FmtArgs; unreadable: readonly string[]; files: number; text?: string },
  io: Io,
): Promise<void> {
  const names = changed.map(({ file }) => file);
  if (args.json) {
    await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, changed: names, unreadable, files, text })}\n`);
  } else if (args.diff) {
    const paint = colours(io.stdout, io.env, args.color);
    for (const { file, before, after } of changed) await write(io.stdout, unifiedDiff(file, before, after, paint));
  } else for (const name of names) await write(io.stdout, `${name}\n`);
}

function outcomeOf(changed: number, unreadable: number, files: number, isDry: boolean): Outcome {
  const all = plural(files, 'file');
  if (unreadable > 0) {
    return { exit: EXIT.uncompilable, words: `${unreadable} of ${all} cannot be read, and were not formatted` };
  }
  if (changed === 0) return { exit: EXIT.ok, words: `${all} in canonical form` };
  if (isDry) return { exit: EXIT.findings, words: `${changed} of ${all} not in canonical form; run: weir fmt` };
  return { exit: EXIT.ok, words: `${changed} of ${all} formatted` };
}

async function formatStdin(args: FmtArgs, io: Io): Promise<Outcome> {
  const { paths, check, diff, upgrade, json } = args;
  if (paths.length > 1) throw usageError('- cannot be combined with other files');
  const before = await stdinText(io);
  const wanted = upgrade ? upgradeBuiltIns(before) : before;
  const result = formatPolicyFile(FROM_STDIN, wanted);
  if (result.kind === 'unreadable') {
    if (json) await print([], { args, unreadable: [FROM_STDIN], files: 1 }, io);
    await write(io.stderr, `${formatProblems(result.problems, new Map([[FROM_STDIN, before]]))}\n`);
    return { exit: EXIT.uncompilable, words: 'stdin cannot be read, and was not formatted' };
  }
  const after = result.kind === 'formatted' ? result.text : wanted;
  const isDry = check || diff;
  const changed = after === before ? [] : [{ file: FROM_STDIN, before, after }];
  const found = { args, unreadable: [], files: 1, ...(isDry ? {} : { text: after }) };
  if (json || diff) await print(changed, found, io);
  else if (!check) await write(io.stdout, after);
  if (isDry && after !== before) return { exit: EXIT.findings, words: 'stdin is not in canonical form' };
  return { exit: EXIT.ok, words: after === before ? 'stdin is in canonical form' : 'formatted' };
}
