import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Argv } from 'yargs';
import { answeringSources, callOf, OfflineJudge, toolCallOf, type OfflineCall } from '../../src/authoring/index.js';
import { STAGES, wholeCatalog, type JsonValue, type Stage } from '../../src/core/index.js';
import type { Command, CommandContext, GlobalArgs } from '../command.js';
import { EXIT, usageError, type Outcome } from '../exit-code.js';
import { environmentNamed, loadCompiledProject, policiesOption, type PoliciesArgs } from '../input/compiled-project.js';
import { write, type Io } from '../io.js';
import { jsonFlag, pairs } from '../judging/call-input.js';
import { callOfRawBody } from '../judging/raw-body.js';
import { tokensOfThisRun } from '../judging/run-tokens.js';
import { colours } from '../output/colour.js';
import { TRY_REPORT, verdictJson, verdictPretty } from '../output/verdict.js';

export interface TryArgs extends GlobalArgs, PoliciesArgs {
  readonly text: string | undefined;
  readonly file: string | undefined;
  readonly body: string | undefined;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly route: string | undefined;
  readonly env: string;
  readonly stage: Stage | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly app: string;
  readonly metadata: readonly string[];
  readonly tool: string | undefined;
  readonly args: string | undefined;
  readonly unavailable: readonly string[];
  readonly monitorMode: boolean;
  readonly at: string | undefined;
  readonly trace: boolean;
}

/** `weir try`: judges one text, message list, request, answer or tool call by a policies folder. No server, no network. */
export const tryCommand: Command<TryArgs> = {
  output: TRY_REPORT,

  build(parser) {
    return policiesOption(parser)
      .positional('text', {
        type: 'string',
        describe: 'Text, or JSON with messages, a request or an answer; default: stdin',
      })
      .option('file', { type: 'string', requiresArg: true, describe: 'Read the input from a file', conflicts: 'text' })
      .option('body', {
        type: 'string',
        requiresArg: true,
        describe: 'Evaluate a file as the body of a proxied request; any bytes are accepted',
        conflicts: ['text', 'file', 'tool', 'stage'],
      })
      .option('content-type', { type: 'string', requiresArg: true, describe: 'Content type of the body' })
      .option('content-encoding', {
        type: 'string',
        requiresArg: true,
        describe: 'Content encoding of the body: gzip, deflate, br or zstd',
      })
      .option('route', {
        type: 'string',
        requiresArg: true,
        describe: 'Path below the base URL; default: /v1/chat/completions',
      })
      .option('env', {
        type: 'string',
        requiresArg: true,
        default: 'production',
        describe: 'Environment whose policy is used',
      })
      .option('stage', { choices: STAGES, describe: 'Stage: pre for a request, post for an answer, tool with --tool' })
      .option('model', { type: 'string', requiresArg: true, describe: 'Model that is called' })
      .option('provider', { type: 'string', requiresArg: true, describe: 'Provider that is called' })
      .option('app', { type: 'string', requiresArg: true, default: 'try', describe: 'App name' })
      .option('metadata', {
        type: 'string',
        array: true,
        requiresArg: true,
        default: [],
        describe: 'Metadata as name=value; may be repeated',
      })
      .option('tool', { type: 'string', requiresArg: true, describe: 'Evaluate a call of this tool' })
      .option('args', { type: 'string', requiresArg: true, describe: 'Tool arguments as JSON, or @file' })
      .option('unavailable', {
        type: 'string',
        array: true,
        requiresArg: true,
        default: [],
        describe: 'Detectors to treat as unavailable',
      })
      .option('monitor-mode', { type: 'boolean', default: false, describe: 'Evaluate as if monitor_mode were sent' })
      .option('at', { type: 'string', requiresArg: true, describe: 'Time of the call (RFC 3339); default: now' })
      .option('trace', { type: 'boolean', default: false, describe: 'Show every rule and condition' })
      .example('$0 try "My card is 4111 1111 1111 1111" --trace', 'what production does with it, and why')
      .example('$0 try --tool run_shell --args \'{"command":"ls"}\'', 'whether the call may be made')
      .example(
        '$0 try --body upload.bin --content-type "multipart/form-data; boundary=x" --route /v1/files',
        'what the proxy would do with an upload, files in it included',
      ) as unknown as Argv<TryArgs>;
  },

  async run(args, context): Promise<Outcome> {
    const { policies, catalog } = await loadCompiledProject(args, context);
    const policy = policies.get(environmentNamed(args.env, policies))!;
    const known = answeringSources(policy, catalog);
    const odd = args.unavailable.find((name) => !known.includes(name));
    if (odd !== undefined) throw usageError(`there is no detector "${odd}"; there are: ${known.join(', ')}`);
    const judge = new OfflineJudge(policy, await wholeCatalog(catalog), {
      nowMs: context.io.nowMs,
      hash: tokensOfThisRun(),
    });
    const call = await offlineCall(args, context);
    const judged = await judge.judge(call);
    const { io } = context;
    const text = args.json
      ? `${JSON.stringify(verdictJson(policy, call.stage, judged, args), null, 2)}\n`
      : verdictPretty(policy, call.stage, judged, colours(io.stdout, io.env, args.color), args);
    await write(io.stdout, text);
    return { exit: EXIT.ok, words: `${policy.environment} says ${judged.decision.action}` };
  },
};

async function offlineCall(args: TryArgs, { io }: CommandContext): Promise<OfflineCall> {
  if (args.tool !== undefined && args.stage !== undefined && args.stage !== 'tool')
    throw usageError('--tool is judged at stage tool');
  if (args.tool === undefined && (args.stage === 'tool' || args.args !== undefined))
    throw usageError('name the tool with --tool');
  const stage = args.tool === undefined ? (args.stage ?? 'pre') : 'tool';
  const read = await readCall(args, stage, io);
  return {
    stage,
    ...read,
    app: args.app,
    ...(args.model !== undefined && { model: args.model }),
    ...(args.provider !== undefined && { provider: args.provider }),
    metadata: pairs('--metadata', args.metadata),
    unavailable: args.unavailable,
    monitorMode: args.monitorMode,
    nowMs: instantOf(args.at),
    facts: new Map(),
  };
}

async function readCall(
  args: TryArgs,
  stage: Stage,
  io: Io,
): Promise<Pick<OfflineCall, 'call' | 'document' | 'dialect'>> {
  const { body, contentType, contentEncoding, route, tool } = args;
  if (body !== undefined)
    return callOfRawBody({ file: body, contentType, contentEncoding, route: route ?? '/v1/chat/completions' }, io);
  if ([contentType, contentEncoding, route].some((one) => one !== undefined))
    throw usageError('--content-type, --content-encoding and --route are about a --body');
  return tool === undefined ? callOf(await textOf(args, io), stage) : toolCallOf(tool, await toolArguments(args, io));
}

function instantOf(text: string | undefined): number {
  const ms = text === undefined ? Date.now() : Date.parse(text);
  if (Number.isNaN(ms)) throw usageError('--at takes an instant such as 2026-12-31T23:59:59Z');
  return ms;
}

async function textOf({ text, file }: TryArgs, io: Io): Promise<string> {
  if (text !== undefined) return text;
  if (file !== undefined) return fileText(file, io);
  if (io.stdin.isTTY === true) throw usageError('give a text, --file, or something on stdin');
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  const read = Buffer.concat(chunks).toString('utf8').replace(/\n$/, '');
  if (read === '') throw usageError('there is nothing to judge: give a text, --file, or something on stdin');
  return read;
}

async function toolArguments({ args }: TryArgs, io: Io): Promise<JsonValue> {
  if (args === undefined) return {};
  return jsonFlag('--args', args.startsWith('@') ? await fileText(args.slice(1), io) : args);
}

async function fileText(file: string, io: Io): Promise<string> {
  try {
    return await readFile(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
}
