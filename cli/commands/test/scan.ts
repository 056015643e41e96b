import { z } from 'zod';
import { runScan, type BoundDetector, type DetectorOutcome, type Segment } from '../../../src/core/index.js';
import { defineCommand, type CommandArgs, type CommandContext } from '../../command.js';
import { chooseDetectors, DETECTOR_OPTIONS } from '../../detector-options.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { readJsonLines, type JsonLine } from '../../input/json-lines.js';
import { write, type Io } from '../../io.js';
import { Progress } from '../../output/progress.js';
import { remoteServices, type RemoteServices } from '../../remote-services.js';
import { wrongField } from '../../input/wrong-field.js';

const ROLES = ['system', 'user', 'assistant', 'tool_result', 'tool_call', 'metadata', 'other'] as const;
const inputRecord = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  text: z.string(),
  role: z.enum(ROLES).optional(),
  key: z.string().optional(),
});

/** One line of the output. Offsets are UTF-16 code units of `text`, half-open. */
export interface ScanRecord {
  readonly id: string | number;
  readonly findings: readonly ScanFinding[];
  /** Detectors that failed for this text; absent if none did. */
  readonly failed?: readonly { readonly detector: string; readonly reason: string }[];
}

export interface ScanFinding {
  readonly detector: string;
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** Only with `--show-content`. */
  readonly text?: string;
}

interface Tally {
  texts: number;
  findings: number;
  failed: number;
}

const OPTIONS = {
  ...DETECTOR_OPTIONS,
  'fail-on-findings': {
    type: 'boolean',
    default: false,
    describe: 'Exit 1 if anything was found, 7 if there was no text',
  },
} as const;
const ARGUMENTS = {
  files: { type: 'string', array: true, default: [], describe: 'JSON Lines files; default: stdin' },
} as const;

export type ScanArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/**
 * `weir scan`: reads JSON lines `{id, text}`, optionally with `role` and `key`, and immediately prints one line `{id, findings}` for
 * each, in order. Matched text is printed only with `--show-content`.
 */
export const scan = defineCommand({
  usage: 'scan [files..]',
  summary: 'Run detectors over texts (JSON Lines in and out)',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 scan --detectors pii,secrets < texts.jsonl', 'one line of findings for each input line'],
    ['$0 scan --config policies/production/policy.yaml texts.jsonl', 'with the detectors of the policy'],
  ],

  async run(args, context): Promise<Outcome> {
    const detectors = await chooseDetectors(args, context);
    const services = await remoteServices(detectors, context.io);
    const tally: Tally = { texts: 0, findings: 0, failed: 0 };
    const printer = args.json ? new WrappedPrinter(context.io) : new LinePrinter(context.io);
    const progress = new Progress(context.io, args.quiet);
    try {
      for await (const line of readJsonLines(args.files, context.io)) {
        await printer.print(
          await scanLine(line, { detectors, services, showContent: args.showContent }, context, tally),
        );
        progress.tick(line.bytes);
      }
      await printer.end(tally);
    } finally {
      progress.done();
      await services.close();
    }
    return outcomeOf(tally, args);
  },
});

function outcomeOf({ texts, findings, failed }: Tally, args: ScanArgs): Outcome {
  const counted = `${count(texts, 'text')} scanned, ${count(findings, 'finding')}`;
  if (failed > 0) return { exit: EXIT.unavailable, words: `${count(failed, 'scan')} failed; ${counted}` };
  if (texts === 0 && args.failOnFindings) return { exit: EXIT.nothing, words: 'nothing was scanned: there is no text' };
  return { exit: findings > 0 && args.failOnFindings ? EXIT.findings : EXIT.ok, words: counted };
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

interface Scanning {
  readonly detectors: readonly BoundDetector[];
  readonly services: RemoteServices;
  readonly showContent: boolean;
}

async function scanLine(
  line: JsonLine,
  { detectors, services, showContent }: Scanning,
  { io }: CommandContext,
  tally: Tally,
): Promise<ScanRecord> {
  const record = inputRecord.safeParse(line.value);
  if (!record.success) {
    const field = wrongField(record.error);
    throw usageError(
      `${line.place} is not {id, text}: ${field === '' ? 'it is not an object' : `"${field}" is missing or of the wrong type`}`,
    );
  }
  const { id = line.number, text, role = 'user', key } = record.data;
  const segment: Segment = { path: 'text', role, text, ref: 0, ...(key === undefined ? {} : { key }) };
  const outcomes = await runScan(detectors, [segment], {
    nowMs: () => io.nowMs(),
    deadlineMs: Number.POSITIVE_INFINITY,
    ...(services.ask === undefined ? {} : { askRemote: services.ask }),
  });
  const findings = findingsOf(outcomes, text, showContent);
  const failed = outcomes.flatMap((outcome) =>
    outcome.status === 'failed' ? [{ detector: outcome.detector, reason: outcome.reason }] : [],
  );
  tally.texts++;
  tally.findings += findings.length;
  tally.failed += failed.length;
  return { id, findings, ...(failed.length === 0 ? {} : { failed }) };
}

function findingsOf(outcomes: readonly DetectorOutcome[], text: string, showContent: boolean): ScanFinding[] {
  const found = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return found
    .map(({ detector, code, start, end, score }) => ({
      detector,
      code,
      start,
      end,
      score,
      ...(showContent ? { text: text.slice(start, end) } : {}),
    }))
    .sort((a, b) => a.start - b.start || b.end - a.end || (a.detector < b.detector ? -1 : 1));
}

interface Printer {
  print(record: ScanRecord): Promise<void>;
  end(tally: Tally): Promise<void>;
}

class LinePrinter implements Printer {
  constructor(private readonly io: Io) {}

  print(record: ScanRecord): Promise<void> {
    return write(this.io.stdout, `${JSON.stringify(record)}\n`);
  }

  end(): Promise<void> {
    return Promise.resolve();
  }
}

/** For `--json`: prints the same records inside one object, still one at a time. */
class WrappedPrinter implements Printer {
  private separator = '{"schemaVersion":1,"records":[\n';

  constructor(private readonly io: Io) {}

  async print(record: ScanRecord): Promise<void> {
    await write(this.io.stdout, this.separator + JSON.stringify(record));
    this.separator = ',\n';
  }

  async end(tally: Tally): Promise<void> {
    const opening = tally.texts === 0 ? this.separator : '\n';
    await write(this.io.stdout, `${opening}],"summary":${JSON.stringify(tally)}}\n`);
  }
}
