import { z } from 'zod';
import { ENVIRONMENTS, type Environment } from '../../src/core/index.js';
import { apiClient, ApiError, type ServerFlags } from '../api/index.js';
import type { Io } from '../io.js';

const ME = z.object({ environments: z.array(z.enum(ENVIRONMENTS)) });

/** Asks the service which environments the token may read; all environments if the service does not report this. */
export async function seenEnvironments(flags: ServerFlags, io: Io): Promise<readonly Environment[]> {
  try {
    return ME.parse(await (await apiClient(flags, io)).get('/v1/me')).environments;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return ENVIRONMENTS;
    throw error;
  }
}
