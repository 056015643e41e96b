import type { ProjectConfig } from '../../src/authoring/index.js';
import type { ServerFlags } from '../api/index.js';
import { CliError, EXIT } from '../exit-code.js';
import { printProblems, type PoliciesArgs } from '../input/compiled-project.js';
import { hasErrors, readProjectFile } from '../input/project.js';
import type { Io } from '../io.js';
import { isServerChosen } from './policy-server.js';

/**
 * Reads the project file for commands that need no policies. Undefined without a policies folder, unless a flag or `WEIR_POLICIES_DIR`
 * names the folder.
 *
 * @throws CliError as `readProjectFile` does; exit 3 after printing the problems of the file. Without the file, the command would use
 * another server than the one that the file names.
 */
export async function projectConfig({ policies: folder }: PoliciesArgs, io: Io): Promise<ProjectConfig | undefined> {
  const isNamed = [folder, io.projectFile, io.env['WEIR_POLICIES_DIR']].some((name) => (name ?? '') !== '');
  try {
    const { config, sources, problems } = await readProjectFile(io, { folder });
    if (!hasErrors(problems)) return config;
    await printProblems(problems, sources, io);
  } catch (error) {
    if (!isNamed && error instanceof CliError && error.exit === EXIT.nothing) return undefined;
    throw error;
  }
  throw new CliError(EXIT.uncompilable, 'the project file, which can name the server, has errors; no server was asked');
}

/** The project file for finding servers only: it is not read if a flag or a variable names the server. @throws as `projectConfig` does */
export async function projectServers(args: PoliciesArgs & ServerFlags, io: Io): Promise<ProjectConfig | undefined> {
  return isServerChosen(args, io) ? undefined : projectConfig(args, io);
}
