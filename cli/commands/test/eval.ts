import { Evaluator, judgeToolSequence, type Miss, type ToolJudge } from '../../../src/authoring/index.js';
import { wholeCatalog, type BoundDetector, type PluginCatalog } from '../../../src/core/index.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { chooseDetectors, DETECTOR_OPTIONS } from '../../detector-options.js';
import { familiesOf, findLabelled, type LabelNames } from '../../evaluation/labelled-findings.js';
import { defaultToolPolicy, toolJudge } from '../../evaluation/tool-judge.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { readJsonLines, type JsonLine } from '../../input/json-lines.js';
import { isToolSequence, readLabelledCalls } from '../../input/labelled-calls.js';
import { readLabelledText } from '../../input/labelled-text.js';
import { write } from '../../io.js';
import { writeNamedFile } from '../../named-files.js';
import { colours } from '../../output/colour.js';
import { evalHtml } from '../../output/eval-html.js';
import { evalTable, megabytesPerSecond, percent, type EvalReport } from '../../output/eval-table.js';
import { Progress } from '../../output/progress.js';
import { remoteServices, type RemoteServices } from '../../remote-services.js';

const OPTIONS = {
  ...DETECTOR_OPTIONS,
  as: textOption('Map finding codes to label names: secrets=SECRET,pii/ZIP_CODE=ADDRESS'),
  'min-overlap': {
    type: 'number',
    default: 0.5,
    describe: 'Minimum overlap of a correct finding (0 to 1)',
  },
  'ignore-weak': { type: 'number', default: 0, describe: 'Skip labels whose score_max is below this value' },
  'min-f1': { type: 'number', describe: 'Exit 1 if the F1 score over all spans is below this value (0 to 1)' },
  misses: { type: 'number', default: 50, describe: 'Maximum number of listed misses per code and kind' },
  html: textOption('Write a report with scores and misses to this file'),
} as const;
const ARGUMENTS = {
  corpus: {
    type: 'string',
    array: true,
    demandOption: true,
    describe: 'JSON Lines {id, text, spans: [{start, end, code}], scope?, label?}; - reads stdin',
  },
} as const;

export type EvalArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/**
 * `weir eval`: runs detectors on labelled texts and measures their quality. A finding is correct if it has the code of the label and
 * the two spans overlap enough (intersection over union, by default one half).
 */
export const evalCommand = defineCommand({
  usage: 'eval <corpus..>',
  summary: 'Measure detectors on labelled texts: precision, recall and speed',
  positionals: ARGUMENTS,
  options: OPTIONS,

  async run(args, context) {
    for (const flag of ['minOverlap', 'ignoreWeak', 'minF1'] as const) checkRatio(flag, args[flag]);
    if (!Number.isInteger(args.misses) || args.misses < 0) throw usageError('--misses takes a whole number');
    const renamed = readNames(args.as);
    const catalog = await wholeCatalog(await context.catalog());
    const detectors = await chooseDetectors(args, { ...context, catalog: () => Promise.resolve(catalog) });
    const services = await remoteServices(detectors, context.io);
    const names = { renamed, families: familiesOf(catalog) };
    const judge = lazyJudge(args, catalog, context);
    const { report, content } = await measure(args, { detectors, names, judge, services }, context).finally(() =>
      services.close(),
    );
    if (report.texts === 0) return { exit: EXIT.nothing, words: 'the corpus contains no text' };
    if (args.html !== undefined) {
      const page = evalHtml(report, (miss) => content.get(keyOf(miss)));
      await writeNamedFile(args.html, page, context.io);
    }
    const paint = colours(context.io.stdout, context.io.env, args.color);
    await write(context.io.stdout, args.json ? asJson(report) : `${evalTable(report, paint)}\n`);
    return outcomeOf(report, args.minF1);
  },
});

function outcomeOf(report: EvalReport, minF1: number | undefined): Outcome {
  const counted = `${report.texts} texts, F1 ${percent(report.micro.f1)} % over ${report.micro.gold} spans`;
  if (report.failedScans > 0)
    return { exit: EXIT.unavailable, words: `${report.failedScans} scans failed; ${counted}` };
  const missed = minF1 !== undefined && (report.micro.f1 ?? 0) < minF1;
  return missed
    ? { exit: EXIT.findings, words: `${counted}, below ${percent(minF1)} %` }
    : { exit: EXIT.ok, words: counted };
}

interface Measuring {
  readonly detectors: readonly BoundDetector[];
  readonly names: LabelNames;
  readonly judge: () => Promise<ToolJudge>;
  readonly services: RemoteServices;
}

async function measure(
  args: EvalArgs,
  measuring: Measuring,
  { io }: CommandContext,
): Promise<{ report: EvalReport; content: ReadonlyMap<string, string> }> {
  const evaluator = new Evaluator({ minOverlap: args.minOverlap, listedMisses: args.misses });
  const progress = new Progress(io, args.quiet);
  const content = new Map<string, string>();
  let scanMs = 0;
  let failedScans = 0;
  let listed = 0;
  try {
    for await (const line of readJsonLines(args.corpus, io)) {
      const labelled = isToolSequence(line) ? undefined : readLabelledText(line, args.ignoreWeak);
      const startedMs = io.nowMs();
      if (labelled === undefined) await addToolSequence(line, measuring, evaluator);
      else {
        const { findings, failed } = await findLabelled(labelled, measuring, () => io.nowMs());
        failedScans += failed;
        evaluator.add(labelled, findings);
        if (args.showContent) {
          const misses = evaluator.listedMisses;
          for (const miss of misses.slice(listed)) content.set(keyOf(miss), labelled.text.slice(miss.start, miss.end));
          listed = misses.length;
        }
      }
      scanMs += io.nowMs() - startedMs;
      progress.tick(labelled?.bytes ?? line.bytes);
    }
  } finally {
    progress.done();
  }
  return { report: { ...evaluator.result(), scanMs, failedScans }, content };
}

/** A rule that fires for a list of tool calls counts as a finding for the complete list. */
async function addToolSequence(line: JsonLine, { judge }: Measuring, evaluator: Evaluator): Promise<void> {
  const sequence = readLabelledCalls(line);
  const rules = await judgeToolSequence(await judge(), sequence);
  const findings = rules.map((code) => ({ code, start: 0, end: 1, score: 1 }));
  evaluator.add({ ...sequence, spans: [] }, findings);
}

/** Returns a function that creates the judge for lists of tool calls when it is first called, and then returns the same judge. */
function lazyJudge(args: EvalArgs, catalog: PluginCatalog, context: CommandContext): () => Promise<ToolJudge> {
  let judge: Promise<ToolJudge> | undefined;
  const make = async (): Promise<ToolJudge> => {
    if (args.config === undefined) {
      const policy = defaultToolPolicy(catalog);
      if (policy === undefined) throw usageError('tool calls are judged by a policy: name one with --config');
      return toolJudge(policy, catalog);
    }
    const { compilePolicyFile } = await import('../../input/policy-file.js');
    return toolJudge(await compilePolicyFile(args.config, catalog, context.io), catalog);
  };
  return () => (judge ??= make());
}

/** `secrets=SECRET,pii/ZIP_CODE=ADDRESS`: the left side is a detector, or one of its codes. */
function readNames(as: string | undefined): ReadonlyMap<string, string> {
  return new Map(
    (as ?? '')
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const [, name, code] = /^\s*([^=\s]+)\s*=\s*([^=\s]+)\s*$/.exec(pair) ?? [];
        if (name === undefined || code === undefined)
          throw usageError('--as takes detector=CODE or detector/code=CODE, separated by commas');
        return [name, code];
      }),
  );
}

function checkRatio(flag: string, value: number | undefined): void {
  if (value === undefined || (value >= 0 && value <= 1)) return;
  throw usageError(`--${flag.replace(/[A-Z0-9]+/g, (part) => `-${part.toLowerCase()}`)} takes a number from 0 to 1`);
}

function keyOf({ id, kind, code, start, end }: Miss): string {
  return JSON.stringify([id, kind, code, start, end]);
}

function asJson(report: EvalReport): string {
  const speed = megabytesPerSecond(report);
  return `${JSON.stringify({ schemaVersion: 1, ...report, mbPerSecond: speed })}\n`;
}
