import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { WeirError } from '../../http/index.js';

const UUID = z.uuid();

/** The app named in the path. */
export function appOf(request: FastifyRequest): string {
  const { app } = request.params as { readonly app: string };
  if (!UUID.safeParse(app).success) throw new WeirError('not_found');
  return app;
}
