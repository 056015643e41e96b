import type { Argv } from 'yargs';
import { wholeCatalog, type BoundDetector } from '../../src/core/index.js';
import type { CommandContext } from '../command.js';
import { detectorsByName, detectorsOfPolicy } from '../detectors.js';
import { CliError, EXIT } from '../exit-code.js';

/** The flags by which `scan` and `eval` choose their detectors. */
export interface DetectorArgs {
  readonly detectors: string | undefined;
  readonly config?: string;
  readonly allCodes: boolean | undefined;
}

/** Adds `--detectors` and `--config`. */
export function detectorOptions<Args>(parser: Argv<Args>): Argv<Args & DetectorArgs> {
  return parser
    .option('detectors', {
      type: 'string',
      requiresArg: true,
      describe: 'Detector names, separated by commas; default: all, or all of the policy',
    })
    .option('config', {
      type: 'string',
      requiresArg: true,
      describe: 'Policy file that names the detectors with their options and scores',
      conflicts: 'all-codes',
    })
    .option('all-codes', {
      type: 'boolean',
      describe: 'Include codes that are disabled by default',
    }) as unknown as Argv<Args & DetectorArgs>;
}

/**
 * The detectors that the flags name, ready to scan.
 *
 * @throws CliError exit 2 for an unknown name, exit 3 for a policy that does not compile, exit 7 when nothing is left
 */
export async function chooseDetectors(args: DetectorArgs, context: CommandContext): Promise<BoundDetector[]> {
  const catalog = await wholeCatalog(await context.catalog());
  if (args.config === undefined) return detectorsByName(args.detectors, catalog, args.allCodes === true);
  const { compilePolicyFile } = await import('../input/policy-file.js');
  const policy = await compilePolicyFile(args.config, catalog, context.io);
  const detectors = detectorsOfPolicy(policy, args.detectors, catalog);
  if (detectors.length === 0) throw new CliError(EXIT.nothing, `${args.config} names no detector`);
  return detectors;
}
