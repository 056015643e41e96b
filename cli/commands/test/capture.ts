import { z } from 'zod';
import { capturedId, captureTest, isTestId } from '../../../src/authoring/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { recordedPolicy } from '../../backtest/recorded-policy.js';
import { defineCommand, textOption, type CommandArgs } from '../../command.js';
import { EVENT_PLACE_OPTIONS, fetchEvent } from '../../events/fetch-event.js';
import { CliError, EXIT, usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write, type Io } from '../../io.js';
import { decisionOf } from '../observe/explain.js';
import { outputFlag } from '../../vocabulary.js';
import { outputFile, writeNamedFile } from '../../named-files.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  event: z.string(),
  tests: z.string().describe('A test file in the published format.'),
  passes: z.boolean().describe('Whether the test passes with the policy that made the decision.'),
});

const OPTIONS = {
  ...POLICIES_OPTION,
  ...SERVER_OPTIONS,
  ...EVENT_PLACE_OPTIONS,
  id: textOption('Id of the new test; default: captured-<event>'),
  ...outputFlag('such as policies/tests/captured.test.yaml; must not exist yet; default: stdout'),
} as const;
const ARGUMENTS = {
  event: { type: 'string', demandOption: true, describe: 'Event id' },
} as const;

type CaptureArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir capture`: writes a recorded decision as a policy test, without any user-written text. */
export const capture = defineCommand({
  usage: 'capture <event>',
  summary: 'Turn a recorded decision into a policy test',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const id = args.id ?? capturedId(args.event);
    if (!isTestId(id)) throw usageError('--id must consist of lower-case letters, digits, dots and dashes');
    const record = decisionOf(await fetchEvent(args, io));
    const found = await recordedPolicy(record.policyDigest ?? '', record.environment, args, context);
    if (found === undefined) {
      throw new CliError(EXIT.nothing, 'the policy of this decision is neither in this folder nor on the server');
    }
    const captured = await captureTest(id, record, found.policy, await context.catalog());
    if (captured === undefined) throw new CliError(EXIT.nothing, 'no rule judged this event');
    const { text, failures } = captured;
    await deliver(text, args, io);
    const passes = failures.length === 0;
    if (args.json)
      await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, event: record.id, tests: text, passes })}\n`);
    if (passes) return { exit: EXIT.ok, words: `test ${id} is created, and it passes` };
    return {
      exit: EXIT.findings,
      words: `test ${id} does not pass yet, because some data was not stored: ${failures.join(', ')}`,
    };
  },
});

async function deliver(text: string, args: CaptureArgs, io: Io): Promise<void> {
  const output = outputFile(args.output);
  if (output !== undefined) await writeNamedFile(output, text, io, 'wx');
  else if (!args.json) await write(io.stdout, text);
}
