import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { answeringSources, callOf, OfflineJudge, toolCallOf, type OfflineCall } from '../../../src/authoring/index.js';
import { STAGES, timeOf, wholeCatalog, type JsonValue, type Stage } from '../../../src/core/index.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { policyNamed, loadCompiledProject, POLICIES_OPTION } from '../../input/compiled-project.js';
import { stdinText } from '../../input/stdin-text.js';
import { write, type Io } from '../../io.js';
import { jsonFlag, pairs } from '../../judging/call-input.js';
import { callOfRawBody } from '../../judging/raw-body.js';
import { tokensOfThisRun } from '../../judging/run-tokens.js';
import { colours } from '../../output/colour.js';
import { TRY_REPORT, verdictJson, verdictPretty } from '../../output/verdict.js';
import { environmentFlag } from '../../vocabulary.js';
import { cannotRead, STDIN } from '../../named-files.js';

const OPTIONS = {
  ...POLICIES_OPTION,
  file: { type: 'string', requiresArg: true, describe: 'Input file; - for stdin', conflicts: 'text' },
  body: {
    type: 'string',
    requiresArg: true,
    describe: 'Evaluate a file as the body of a proxied request; any bytes are accepted',
    conflicts: ['text', 'file', 'tool', 'stage'],
  },
  'content-type': textOption('Content type of the body'),
  'content-encoding': textOption('Content encoding of the body: gzip, deflate, br or zstd'),
  route: textOption('Path below the base URL; default: /v1/chat/completions'),
  ...environmentFlag('default: production'),
  stage: { choices: STAGES, describe: 'Stage: pre for a request, post for an answer, tool with --tool' },
  model: textOption('Model name'),
  provider: textOption('Provider such as openai'),
  app: { type: 'string', requiresArg: true, default: 'try', describe: 'Name of the calling app' },
  metadata: {
    type: 'string',
    array: true,
    requiresArg: true,
    default: [],
    describe: 'Metadata such as user.id=42; may be repeated',
  },
  tool: textOption('Evaluate a call of this tool'),
  args: textOption('Tool arguments as JSON, or @file'),
  unavailable: {
    type: 'string',
    array: true,
    requiresArg: true,
    default: [],
    describe: 'Detectors to treat as unavailable',
  },
  'monitor-mode': { type: 'boolean', default: false, describe: 'Evaluate as if monitor_mode were sent' },
  at: textOption('Time of the call as a date or a time such as 2026-12-31T12:00:00Z; default: now'),
  trace: { type: 'boolean', default: false, describe: 'Show every rule and condition' },
} as const;
const ARGUMENTS = {
  text: {
    type: 'string',
    describe: 'Text, or JSON with messages, a request or an answer; default: stdin',
  },
} as const;

export type TryArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir try`: judges one text, message list, request, answer or tool call with a policies folder, without a server or network. */
export const tryCommand = defineCommand({
  usage: 'try [text]',
  summary: 'Evaluate one text, request, answer or tool call without a server',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 try "My card is 4111 1111 1111 1111" --trace', 'the decision of production, with its reasons'],
    ['$0 try --tool run_shell --args \'{"command":"ls"}\'', 'checks whether the tool call is allowed'],
    [
      '$0 try --body upload.bin --content-type "multipart/form-data; boundary=x" --route /v1/files',
      'the decision of the proxy on an upload, including its files',
    ],
  ],
  output: TRY_REPORT,

  async run(args, context): Promise<Outcome> {
    const { policies, catalog } = await loadCompiledProject(args, context);
    const policy = policyNamed(args.env ?? 'production', policies);
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
    return { exit: EXIT.ok, words: `the decision of ${policy.environment} is ${judged.decision.action}` };
  },
});

async function offlineCall(args: TryArgs, { io }: CommandContext): Promise<OfflineCall> {
  if (args.tool !== undefined && args.stage !== undefined && args.stage !== 'tool')
    throw usageError('--tool needs stage tool');
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
    throw usageError('--content-type, --content-encoding and --route need --body');
  return tool === undefined ? callOf(await textOf(args, io), stage) : toolCallOf(tool, await toolArguments(args, io));
}

function instantOf(text: string | undefined): number {
  const ms = text === undefined ? Date.now() : timeOf(text);
  if (ms === undefined)
    throw usageError('--at takes a time with its time zone, such as 2026-12-31T23:59:59Z, or a day');
  return ms;
}

async function textOf({ text, file }: TryArgs, io: Io): Promise<string> {
  if (text !== undefined && text !== STDIN) return text;
  if (file !== undefined && file !== STDIN) return fileText(file, io);
  const isAsked = (text ?? file) === STDIN;
  if (!isAsked && io.stdin.isTTY === true) throw usageError('provide a text, --file, or input on stdin');
  const read = (await stdinText(io, Number.POSITIVE_INFINITY)).replace(/\n$/, '');
  if (read === '') throw usageError('there is nothing to judge: provide a text, --file, or input on stdin');
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
    throw cannotRead(file, error);
  }
}
