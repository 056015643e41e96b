import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isMap, isSeq, parseDocument } from 'yaml';
import { z } from 'zod';
import { inDays } from '../../../../src/authoring/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { exceptionNamed, type NamedException } from '../../../deploy/named-exception.js';
import { CliError, EXIT, usageError } from '../../../exit-code.js';
import { loadCompiledProject, POLICIES_OPTION } from '../../../input/compiled-project.js';
import { compileProject, readProject } from '../../../input/project.js';
import { write } from '../../../io.js';
import { writeNamedFile } from '../../../named-files.js';
import { environmentFlag, environmentIn } from '../../../vocabulary.js';
import {
  ENVIRONMENTS,
  instantMs,
  required,
  type CompiledException,
  type Environment,
} from '../../../../src/core/index.js';

const BEFORE = z.string().describe('The previous expiry.');
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  file: z.string().describe('The first of `files`.'),
  before: BEFORE,
  expires: z.string(),
  files: z
    .array(z.strictObject({ file: z.string(), environments: z.array(z.enum(ENVIRONMENTS)), before: BEFORE }))
    .describe('Every changed file. Environments may have exceptions of the same id in different files.'),
});

/** A file that contains the exception, and the environments that load the file. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly exception: CompiledException;
  readonly environments: readonly Environment[];
}

/** `weir exceptions renew <id>`: changes only the end of an exception in its file, or in each of its files. */
export const exceptionsRenew = defineCommand({
  usage: 'renew <id>',
  summary: 'Extend an exception in its file',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Exception id such as EX-0042' },
  },
  options: {
    ...POLICIES_OPTION,
    ...environmentFlag('default: every environment that has the exception'),
    until: {
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: 'End: a time such as 2027-03-31T23:59:59Z',
    },
    because: {
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: 'Reason; says why the exception is still needed',
    },
    'approved-by': textOption('Person who approved the renewal'),
    ticket: textOption('Reference to the approval, such as a ticket'),
  },
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    if (args.approvedBy === undefined) throw usageError('--approved-by must name the person who approved the renewal');
    const untilMs = instant(args.until);
    const { project, policies, catalog } = await loadCompiledProject(args, context);
    const places = placesOf(args.id, exceptionNamed(args.id, policies), environmentIn(args));
    for (const place of places) checkLength(untilMs, place, project.config.maxExceptionMs);
    const wanted = { expires: args.until, because: args.because, approved_by: args.approvedBy, ticket: args.ticket };
    const texts = new Map<string, string>();
    for (const { file } of places) {
      const path = resolve(io.cwd, file);
      texts.set(path, edited(await readFile(path, 'utf8'), args.id, wanted));
    }
    // The edited texts are written only if they compile to the intended exceptions.
    const changed = await readProject(io, { folder: project.root, instead: texts });
    const again = compileProject(changed.environments, catalog).policies;
    for (const { file, environments } of places) {
      const found = environments.map((name) => again.get(name)?.exceptions.find(({ id }) => id === args.id));
      if (found.some((now) => now?.expiresAtMs !== untilMs || now.because !== args.because))
        throw new CliError(
          EXIT.uncompilable,
          `${file} is written in a way that cannot be edited safely; change it by hand`,
        );
    }
    for (const { file } of places) await writeNamedFile(file, required(texts.get(resolve(io.cwd, file)), file), io);
    const report = reportOf(args.id, untilMs, places);
    const lines = places.map(
      (place) => `${place.file}:${place.line}  ${args.id}  ${endOf(place)} → ${report.expires}\n`,
    );
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : lines.join(''));
    const where = places.length > 1 ? ` in ${places.length} files` : '';
    const words = `${args.id} ends ${inDays(untilMs, Date.now())}${where}; review the change and deploy it`;
    return { exit: EXIT.ok, words };
  },
});

/** @throws CliError (exit 2) if the named environment does not have the exception */
function placesOf(id: string, named: readonly NamedException[], environment: Environment | undefined): Place[] {
  const places = new Map<string, Place>();
  for (const { policy, exception } of named) {
    const { file, line } = required(policy.sources.exceptions[id], id).at;
    const environments = [...(places.get(file)?.environments ?? []), policy.environment];
    places.set(file, { file, line, exception, environments });
  }
  const wanted = [...places.values()].filter(
    ({ environments }) => environment === undefined || environments.includes(environment),
  );
  if (wanted.length > 0) return wanted;
  const all = named.map(({ policy }) => policy.environment).join(', ');
  throw usageError(`${environment ?? 'the folder'} has no exception "${id}"; it is in: ${all}`);
}

function endOf({ exception }: Place): string {
  return new Date(exception.expiresAtMs).toISOString();
}

function reportOf(id: string, untilMs: number, places: readonly Place[]): z.infer<typeof OUTPUT> {
  const first = required(places[0], id);
  return {
    schemaVersion: 1,
    id,
    file: first.file,
    before: endOf(first),
    expires: new Date(untilMs).toISOString(),
    files: places.map((place) => ({
      file: place.file,
      environments: [...place.environments],
      before: endOf(place),
    })),
  };
}

function instant(text: string): number {
  const ms = instantMs(text);
  if (ms === undefined) {
    throw usageError('--until takes a time with seconds and its time zone, such as 2027-03-31T23:59:59Z');
  }
  return ms;
}

function checkLength(untilMs: number, { file, exception }: Place, maxMs: number | undefined): void {
  const nowMs = Date.now();
  if (untilMs <= nowMs) throw usageError('--until is in the past');
  if (untilMs <= exception.expiresAtMs) throw usageError(`--until is not later than the current expiry in ${file}`);
  if (maxMs !== undefined && untilMs - nowMs > maxMs)
    throw new CliError(
      EXIT.findings,
      `max_exception in weir.config.yaml allows ${inDays(nowMs + maxMs, nowMs)} at most`,
    );
}

/** Replaces scalar values of one exception; every other character stays unchanged. */
function edited(text: string, id: string, wanted: Readonly<Record<string, string | undefined>>): string {
  const list = parseDocument(text, { version: '1.2', logLevel: 'silent' }).get('exceptions');
  const entry = isSeq(list) ? list.items.find((item) => isMap(item) && item.get('id') === id) : undefined;
  if (!isMap(entry)) return text;
  const edits = Object.entries(wanted).flatMap(([field, value]) => {
    const scalar = entry.get(field, true);
    return value === undefined || !scalar?.range ? [] : [{ start: scalar.range[0], end: scalar.range[1], value }];
  });
  // From the last to the first, so that earlier offsets stay valid.
  return edits
    .sort((one, other) => other.start - one.start)
    .reduce((rest, { start, end, value }) => rest.slice(0, start) + yamlString(value) + rest.slice(end), text);
}

/** A string as YAML: plain if that certainly parses as a string, else double-quoted as in JSON (YAML 1.2, section 7.3.1). */
function yamlString(value: string): string {
  return /^[A-Za-z0-9][\w.@/+-]*(?: [\w.@/+()-]+)*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : JSON.stringify(value);
}
