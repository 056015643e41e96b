import { createInterface } from 'node:readline';
import { z } from 'zod';
import {
  answeringSources,
  callOf,
  OfflineJudge,
  toolCallOf,
  type OfflineJudgement,
  type ReadCall,
} from '../../../src/authoring/index.js';
import {
  timeOf,
  wholeCatalog,
  type CompiledPolicy,
  type Environment,
  type FactValue,
  type JsonValue,
  type Stage,
} from '../../../src/core/index.js';
import { defineCommand, type CommandArgs, type CommandContext } from '../../command.js';
import { CliError, EXIT, type Outcome } from '../../exit-code.js';
import {
  environmentNamed,
  loadCompiledProject,
  policyNamed,
  POLICIES_OPTION,
  type CompiledProject,
} from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { jsonFlag, looseValue } from '../../judging/call-input.js';
import { tokensOfThisRun } from '../../judging/run-tokens.js';
import { colours, type Colours } from '../../output/colour.js';
import { TRY_REPORT, verdictJson, verdictPretty } from '../../output/verdict.js';
import { environmentFlag, environmentIn, environmentWord } from '../../vocabulary.js';

const HELP = `A line is judged as the user's message (at stage post, as an answer). Commands:
  :env <name>             environment of the policy
  :stage pre|post         stage of the following lines
  :model <name>           name of the model; :app <name> sets the name of the app
  :tool <name> [json]     judge a tool call
  :fact <name>=<value>    override a fact of the calls; :unset [name] removes the override
  :down <detector>        make a detector unavailable; :up [detector] makes it available again
  :at <time>              time of the calls; :at now sets the current time
  :explain                show the last verdict, condition by condition
  :whatif <name>=<value>  judge the last call again with one fact changed
  :load                   read the policies again
  :quit
`;

const OPTIONS = {
  ...POLICIES_OPTION,
  ...environmentFlag('default: production'),
} as const;
const ARGUMENTS = environmentWord('default: production');

export type ReplArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir repl`: judges calls line by line; commands change the settings in between. */
export const repl = defineCommand({
  usage: 'repl [environment]',
  summary: 'Evaluate messages interactively and change settings as you go',
  positionals: ARGUMENTS,
  options: OPTIONS,
  // One object per line: the verdict of a call, or the message of a command.
  output: z.union([TRY_REPORT, z.object({ schemaVersion: z.literal(1), message: z.string() })]),

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const session = new Session(args, context, await projectOf(args, context));
    const isTerminal = io.stdin.isTTY === true;
    const lines = createInterface({ input: io.stdin, terminal: false, signal: io.signal });
    if (isTerminal) await write(io.stderr, `${session.prompt()} :help lists the commands\n`);
    for await (const line of lines) {
      const answer = await session.line(line.trim());
      if (answer === undefined) break;
      await write(io.stdout, args.json ? jsonLine(answer) : answer);
    }
    if (io.signal.aborted) return { exit: EXIT.interrupted, words: 'interrupted' };
    return { exit: EXIT.ok, words: `${session.judged} ${session.judged === 1 ? 'call' : 'calls'} judged` };
  },
});

async function projectOf(args: ReplArgs, context: CommandContext): Promise<CompiledProject> {
  const project = await loadCompiledProject(args, context);
  return { ...project, catalog: await wholeCatalog(project.catalog) };
}

class Session {
  judged = 0;
  private judge: OfflineJudge;
  private stage: 'pre' | 'post' = 'pre';
  private model: string | undefined;
  private app = 'repl';
  private nowMs: number | undefined;
  private readonly facts = new Map<string, FactValue>();
  private readonly down = new Set<string>();
  private last: { readonly stage: Stage; readonly call: ReadCall; readonly judgement: OfflineJudgement } | undefined;
  private readonly paint: Colours;

  constructor(
    private readonly args: ReplArgs,
    private readonly context: CommandContext,
    private project: CompiledProject,
  ) {
    this.paint = colours(context.io.stdout, context.io.env, args.color);
    this.judge = this.judgeOf(environmentNamed(environmentIn(args) ?? 'production', project.policies));
  }

  prompt(): string {
    return `${this.policy.environment}>`;
  }

  private get policy(): CompiledPolicy {
    return this.judge.policy;
  }

  private judgeOf(environment: Environment): OfflineJudge {
    return new OfflineJudge(policyNamed(environment, this.project.policies), this.project.catalog, {
      nowMs: this.context.io.nowMs,
      hash: tokensOfThisRun(),
    });
  }

  /** Executes an input line and returns the output; undefined ends the session. */
  async line(line: string): Promise<string | undefined> {
    if (line === '') return '';
    try {
      if (!line.startsWith(':')) return await this.judgeCall(this.stage, callOf(line, this.stage));
      const [, name = '', rest = ''] = /^:(\S+)\s*(.*)$/s.exec(line) ?? [];
      if (name === 'quit' || name === 'q') return undefined;
      return await this.command(name, rest);
    } catch (error) {
      if (error instanceof CliError) return `${error.message}\n`;
      throw error;
    }
  }

  private async command(name: string, rest: string): Promise<string> {
    switch (name) {
      case 'help':
        return HELP;
      case 'env':
        this.judge = this.judgeOf(environmentNamed(rest, this.project.policies));
        return `${rest}\n`;
      case 'stage':
        if (rest !== 'pre' && rest !== 'post') return `texts have stage pre or post; for stage tool use :tool\n`;
        this.stage = rest;
        return `stage ${rest}\n`;
      case 'model':
        this.model = rest === '' ? undefined : rest;
        return `model ${rest === '' ? 'absent' : rest}\n`;
      case 'app':
        this.app = rest;
        return `app ${rest}\n`;
      case 'at':
        return this.setClock(rest);
      case 'tool':
        return this.tool(rest);
      case 'fact':
        return this.setFact(rest);
      case 'unset':
        if (rest === '') this.facts.clear();
        else this.facts.delete(rest);
        return this.overlays();
      case 'down':
      case 'up':
        return this.switchDetector(name, rest);
      case 'explain':
        return this.explain();
      case 'whatif':
        return this.whatIf(rest);
      case 'load':
        this.project = await projectOf(this.args, this.context);
        this.judge = this.judgeOf(environmentNamed(this.policy.environment, this.project.policies));
        return 'the policies were read again\n';
      default:
        return `there is no command ":${name}"; :help lists the commands\n`;
    }
  }

  private async judgeCall(
    stage: Stage,
    call: ReadCall,
    facts: ReadonlyMap<string, FactValue> = this.facts,
  ): Promise<string> {
    const judgement = await this.judge.judge({
      stage,
      ...call,
      app: this.app,
      ...(this.model !== undefined && { model: this.model }),
      metadata: {},
      unavailable: [...this.down],
      monitorMode: false,
      nowMs: this.nowMs ?? Date.now(),
      facts,
    });
    this.judged += 1;
    this.last = { stage, call, judgement };
    return this.shown(stage, judgement, false);
  }

  private shown(stage: Stage, judgement: OfflineJudgement, trace: boolean): string {
    const details = { trace, showContent: this.args.showContent };
    return this.args.json
      ? `${JSON.stringify(verdictJson(this.policy, stage, judgement, details))}\n`
      : verdictPretty(this.policy, stage, judgement, this.paint, details);
  }

  private setClock(text: string): string {
    const isNow = text === 'now' || text === '';
    const ms = isNow ? undefined : timeOf(text);
    if (!isNow && ms === undefined) return 'give a time with its zone such as 2026-12-31T23:59:59Z, a day, or now\n';
    this.nowMs = ms;
    return `at ${ms === undefined ? 'now' : new Date(ms).toISOString()}\n`;
  }

  private tool(rest: string): Promise<string> | string {
    const [, name = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
    if (name === '') return 'give a tool, such as :tool run_shell {"command": "ls"}\n';
    return this.judgeCall('tool', toolCallOf(name, json === '' ? {} : jsonFlag(':tool', json)));
  }

  private setFact(rest: string): string {
    const fact = factOf(rest);
    if (fact === undefined) return 'give a fact, such as pii.count=2\n';
    this.facts.set(fact.name, fact.value);
    return this.overlays();
  }

  private overlays(): string {
    const lines = [...this.facts].map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
    return lines.length === 0 ? 'no fact is overridden\n' : lines.join('');
  }

  private switchDetector(way: 'up' | 'down', name: string): string {
    const known = answeringSources(this.policy, this.project.catalog);
    if (way === 'up' && name === '') this.down.clear();
    else if (!known.includes(name)) return `there is no detector "${name}"; there are: ${known.join(', ')}\n`;
    else if (way === 'down') this.down.add(name);
    else this.down.delete(name);
    return `down: ${this.down.size === 0 ? 'none' : [...this.down].join(', ')}\n`;
  }

  private explain(): string {
    if (this.last === undefined) return 'nothing was judged yet\n';
    return this.shown(this.last.stage, this.last.judgement, true);
  }

  private async whatIf(rest: string): Promise<string> {
    const fact = factOf(rest);
    if (fact === undefined) return 'give a fact, such as :whatif prompt_injection.score=0.9\n';
    if (this.last === undefined) return 'nothing was judged yet\n';
    const { stage, call } = this.last;
    return this.judgeCall(stage, call, new Map(this.facts).set(fact.name, fact.value));
  }
}

/** A verdict is already JSON; other output is wrapped as a message. */
function jsonLine(answer: string): string {
  if (answer === '' || answer.startsWith('{')) return answer;
  return `${JSON.stringify({ schemaVersion: 1, message: answer.trimEnd() })}\n`;
}

function factOf(text: string): { readonly name: string; readonly value: JsonValue } | undefined {
  const [, name, value] = /^([\w.-]+)\s*=\s*(.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : { name, value: looseValue(value) };
}
