/** Errors for unknown commands and unknown arguments, with suggestions, because yargs explains neither. */
import { COMMANDS } from './commands/index.js';
import { usageError, type CliError } from './exit-code.js';

/** Names of commands in other tools, and the corresponding ones here. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['add', ['create', 'new']],
  ['apply', ['deploy']],
  ['cat', ['show']],
  ['check', ['lint']],
  ['describe', ['show']],
  ['download', ['fetch']],
  ['format', ['fmt']],
  ['get', ['show', 'fetch']],
  ['help', ['--help']],
  ['info', ['show']],
  ['logs', ['events list']],
  ['ls', ['list']],
  ['make', ['create', 'new']],
  ['new', ['create', 'init']],
  ['push', ['deploy']],
  ['remove', ['delete']],
  ['revoke', ['delete']],
  ['rm', ['delete']],
  ['run', ['server start']],
  ['serve', ['server start']],
  ['start', ['server start']],
  ['status', ['doctor']],
  ['up', ['server start']],
  ['upgrade', ['fmt --upgrade']],
  ['validate', ['lint']],
  ['version', ['--version']],
  ['view', ['show']],
]);

/**
 * The error for unknown words, with suggestions; undefined if the error is about something else.
 *
 * @param error the error of yargs: "Unknown argument", or the number of arguments
 */
export function unknownWords(argv: readonly string[], error: CliError): CliError | undefined {
  const hint = /^Did you mean (.*)\?$/.exec(error.message)?.[1];
  if (hint === undefined && !/^(?:Unknown arguments?: [^-]|Too many non-option arguments)/.test(error.message))
    return undefined;
  const words = argv.filter((argument) => !argument.startsWith('-'));
  const group = longestGroup(words);
  const depth = group === '' ? 0 : group.split(' ').length;
  const wrong = words[depth];
  if (wrong === undefined) return undefined;
  const names = namesIn(group);
  const called = [group, wrong].filter((part) => part !== '').join(' ');
  if (names.includes(wrong)) return tooMany(called, argv, error);
  const isThere = (name: string): boolean => names.includes(name) || (depth === 0 && / |^-/.test(name));
  const meant = OTHER_NAMES.get(wrong)?.find(isThere) ?? hint;
  const help = group === '' ? 'weir --help' : `weir ${group} --help`;
  return usageError(
    `there is no command "${called}". ${meant === undefined ? `See: ${help}` : `Did you mean ${meant}?`}`,
  );
}

/** The error for a known command with too many arguments; undefined if a flag is the problem. */
function tooMany(called: string, argv: readonly string[], error: CliError): CliError | undefined {
  const usage = COMMANDS.flatMap((entry) =>
    'load' in entry ? [entry.usage] : entry.commands.map((one) => `${entry.name} ${one.usage}`),
  ).find((one) => one === called || one.startsWith(`${called} `));
  if (usage === undefined) return undefined;
  const extra = /^Unknown arguments?: (.+)$/.exec(error.message)?.[1];
  // yargs reports an unknown flag without its dashes, so it is not among the arguments.
  if (extra?.split(', ').every((word) => argv.includes(word)) === false) return undefined;
  const what = extra === undefined ? 'too many arguments' : `unexpected argument "${extra}"`;
  return usageError(`${what} for weir ${usage}. See: weir ${called} --help`);
}

/** The innermost group named by the first words, such as `exports schedules`; '' for none. */
function longestGroup(words: readonly string[]): string {
  const names = COMMANDS.flatMap((entry) => ('load' in entry ? [] : [entry.name]));
  const said = `${words.join(' ')} `;
  return names.filter((name) => said.startsWith(`${name} `)).sort((left, right) => right.length - left.length)[0] ?? '';
}

/** The names of the commands and nested groups in a group, or at the top level. */
function namesIn(group: string): string[] {
  const nested = COMMANDS.flatMap((entry) => {
    if ('load' in entry) return group === '' ? [entry.usage] : [];
    if (entry.name === group) return entry.commands.map(({ usage }) => usage);
    const [last = '', ...outer] = entry.name.split(' ').reverse();
    return outer.reverse().join(' ') === group ? [last] : [];
  });
  return nested.map((usage) => usage.split(' ')[0] ?? '');
}
