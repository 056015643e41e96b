import { z } from 'zod';
import type { ProjectConfig } from '../../src/authoring/index.js';
import { ENVIRONMENTS, type Environment } from '../../src/core/index.js';
import { apiClient, ApiError, type ServerFlags } from '../api/index.js';
import type { Io } from '../io.js';

const ME = z.object({ environments: z.array(z.enum(ENVIRONMENTS)) });

/**
 * The environments that the token may read. If the project file names servers, each one is asked about its own environments, and
 * environments without a server are left out.
 */
export async function seenEnvironments(
  flags: ServerFlags,
  io: Io,
  config: Pick<ProjectConfig, 'servers'> | undefined,
): Promise<readonly Environment[]> {
  const servers = config?.servers ?? new Map<string, string>();
  if (servers.size === 0) return seenAt(flags, io);
  const seen = new Map<string, readonly Environment[]>();
  for (const url of servers.values()) seen.set(url, seen.get(url) ?? (await seenAt({ ...flags, url }, io)));
  return ENVIRONMENTS.filter((one) => seen.get(servers.get(one) ?? '')?.includes(one));
}

/** Asks one server; all environments if it does not report this. */
async function seenAt(flags: ServerFlags, io: Io): Promise<readonly Environment[]> {
  try {
    return ME.parse(await (await apiClient(flags, io)).get('/v1/me')).environments;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return ENVIRONMENTS;
    throw error;
  }
}
