import { wholeCatalog, type BoundDetector } from '../src/core/index.js';
import { textOption, type CommandArgs, type CommandContext } from './command.js';
import { detectorsByName, detectorsOfPolicy } from './detectors.js';
import { CliError, EXIT } from './exit-code.js';

/** The flags with which `scan` and `eval` select their detectors. */
export const DETECTOR_OPTIONS = {
  detectors: textOption(
    'Detectors; names separated by commas; default: all detectors, or all of the policy in --config',
  ),
  config: {
    ...textOption('Policy file that names the detectors with their options and scores'),
    conflicts: 'all-codes',
  },
  'all-codes': { type: 'boolean', describe: 'Include codes that are disabled by default' },
} as const;

type DetectorArgs = CommandArgs<typeof DETECTOR_OPTIONS>;

/**
 * Loads the detectors selected by the flags, ready to scan.
 *
 * @throws CliError exit 2 for an unknown name, exit 3 for a policy that does not compile, exit 7 if no detector is selected
 */
export async function chooseDetectors(args: DetectorArgs, context: CommandContext): Promise<BoundDetector[]> {
  const catalog = await wholeCatalog(await context.catalog());
  if (args.config === undefined) return detectorsByName(args.detectors, catalog, args.allCodes === true);
  const { compilePolicyFile } = await import('./input/policy-file.js');
  const policy = await compilePolicyFile(args.config, catalog, context.io);
  const detectors = detectorsOfPolicy(policy, args.detectors, catalog);
  if (detectors.length === 0) throw new CliError(EXIT.nothing, `${args.config} names no detector`);
  return detectors;
}
