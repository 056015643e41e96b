import type { ProjectConfig } from '../../src/authoring/index.js';
import { readProject } from '../input/project.js';
import type { Io } from '../io.js';

/**
 * Reads the project file for commands that use a server and need no policies: the file may name the server.
 *
 * @param folder the folder, if a flag names it; then it must exist
 * @throws CliError as `readProject` does, for a folder named by a flag
 */
export async function projectConfig(folder: string | undefined, io: Io): Promise<ProjectConfig | undefined> {
  if (folder !== undefined) return (await readProject(io, { folder })).config;
  return readProject(io).then(
    ({ config }) => config,
    () => undefined,
  );
}
