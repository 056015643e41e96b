import { readFile, writeFile } from 'node:fs/promises';
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
import { required } from '../../../../src/core/index.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  file: z.string(),
  before: z.string().describe('The previous expiry.'),
  expires: z.string(),
});

/** `weir exceptions renew <id>`: changes only the end of an exception in its file. */
export const exceptionsRenew = defineCommand({
  usage: 'renew <id>',
  summary: 'Extend an exception in its file',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Exception id such as EX-0042' },
  },
  options: {
    ...POLICIES_OPTION,
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
    const [first] = exceptionNamed(args.id, policies) as [NamedException];
    checkLength(untilMs, first, project.config.maxExceptionMs);
    const place = required(first.policy.sources.exceptions[args.id], args.id);
    const file = resolve(io.cwd, place.at.file);
    const wanted = { expires: args.until, because: args.because, approved_by: args.approvedBy, ticket: args.ticket };
    const text = edited(await readFile(file, 'utf8'), args.id, wanted);
    // The edited text is written only if it compiles to the intended exception.
    const changed = await readProject(io, { folder: project.root, instead: new Map([[file, text]]) });
    const again = compileProject(changed.environments, catalog).policies.get(first.policy.environment);
    const now = again?.exceptions.find(({ id }) => id === args.id);
    if (now?.expiresAtMs !== untilMs || now.because !== args.because)
      throw new CliError(
        EXIT.uncompilable,
        `${place.at.file} is written in a way that cannot be edited safely; change it by hand`,
      );
    await writeFile(file, text);
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      id: args.id,
      file: place.at.file,
      before: new Date(first.exception.expiresAtMs).toISOString(),
      expires: new Date(untilMs).toISOString(),
    };
    const line = `${report.file}:${place.at.line}  ${args.id}  ${report.before} → ${report.expires}`;
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : `${line}\n`);
    return { exit: EXIT.ok, words: `${args.id} ends ${inDays(untilMs, Date.now())}; review the change and deploy it` };
  },
});

function instant(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw usageError('--until takes an instant with its time zone, such as 2027-03-31T23:59:59Z');
  return ms;
}

function checkLength(untilMs: number, { exception }: NamedException, maxMs: number | undefined): void {
  const nowMs = Date.now();
  if (untilMs <= nowMs) throw usageError('--until is in the past');
  if (untilMs <= exception.expiresAtMs) throw usageError('--until is not later than the current expiry');
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
