/**
 * `@Records('key.created')` on the handler of a route declares the actions that it records. The service does not start if a mutating route
 * has no declaration, and a request that changed something without recording it is answered with 500 and logged.
 */
import {
  applyDecorators,
  Injectable,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { tap, type Observable } from 'rxjs';
import { knownActorOf } from './actor.js';
import type { AdminActionName } from './admin-actions.js';
import { recordedBy } from './admin-audit.js';

const RECORDS = 'weir:records';

export interface Recording {
  readonly actions: readonly AdminActionName[];
  /** The reason why a successful request may record nothing; absent: every successful request records one of the actions. */
  readonly orNothingBecause?: string;
}

/** Declares the actions that a route records. */
export function Records(
  actions: AdminActionName | readonly AdminActionName[],
  options: { readonly orNothingBecause?: string } = {},
): MethodDecorator {
  const recording: Recording = { actions: typeof actions === 'string' ? [actions] : actions, ...options };
  return applyDecorators(SetMetadata(RECORDS, recording), UseInterceptors(RecordsInterceptor));
}

/** The declaration of a handler; undefined when there is none. */
export function recordingOf(handler: object): Recording | undefined {
  return Reflect.getMetadata(RECORDS, handler) as Recording | undefined;
}

/** Fails the request when its handler succeeded without recording any declared action. */
@Injectable()
export class RecordsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const recording = recordingOf(context.getHandler());
    if (recording === undefined || recording.orNothingBecause !== undefined) return next.handle();
    return next.handle().pipe(
      tap(() => {
        const actor = knownActorOf(context.switchToHttp().getRequest<FastifyRequest>());
        const done = actor === undefined ? new Set() : recordedBy(actor);
        if (!recording.actions.some((action) => done.has(action))) {
          throw new Error(`none of these admin actions was recorded: ${recording.actions.join(', ')}`);
        }
      }),
    );
  }
}
