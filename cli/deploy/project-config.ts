import type { ProjectConfig } from '../../src/authoring/index.js';
import { readProject } from '../input/project.js';
import type { Io } from '../io.js';

/**
 * The content of the project file, for commands that use a server and need no policies: the file may name the server.
 *
 * @param folder where it was asked for; then it has to be there
 * @throws CliError as `readProject` does, for a folder that was asked for
 */
export async function projectConfig(folder: string | undefined, io: Io): Promise<ProjectConfig | undefined> {
  if (folder !== undefined) return (await readProject(io, { folder })).config;
  return readProject(io).then(
    ({ config }) => config,
    () => undefined,
  );
}
