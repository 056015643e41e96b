import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { WeirError } from '../../http/index.js';

const UUID = z.uuid();

/** The app that the path names. @throws {WeirError} 404 for what cannot be an id: such an app is not known either */
export function appOf(request: FastifyRequest): string {
  const { app } = request.params as { readonly app: string };
  if (!UUID.safeParse(app).success) throw new WeirError('not_found');
  return app;
}
