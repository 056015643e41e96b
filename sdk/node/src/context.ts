import { WeirConfigError } from './errors.js';
import { wrongAnnotations } from './options.js';
import { contextStorage, type ContextStorage } from './runtime.js';
import { sharedState } from './shared.js';

/** Data about all calls of one task, in addition to the client's own options. */
export interface WeirContext {
  /** Merged with the metadata of the options; the context's values override those of the options. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly session?: string;
  /**
   * Links the calls to the request that they were made for. With `via: 'proxy'` it is the header `x-request-id` of the call, which the
   * provider also receives; otherwise it is sent only to Weir.
   */
  readonly requestId?: string;
}

/** The storage is null in a runtime without one, and undefined before its first use. */
const held = sharedState('context', (): { storage?: ContextStorage<WeirContext> | null } => ({}));

/**
 * Annotates all calls made inside `work`, including those in awaited functions, timers and streams that start there. Nested contexts
 * are merged; the inner context overrides the outer one.
 *
 * @throws WeirConfigError in a runtime without `AsyncLocalStorage` (Node.js before 20.16, browsers), and for an invalid context
 */
export function withWeirContext<R>(context: WeirContext, work: () => R): R {
  if (held.storage === undefined) held.storage = contextStorage();
  const store = held.storage;
  if (store === null) {
    throw new WeirConfigError(
      'withWeirContext() needs AsyncLocalStorage (Node.js 20.16 or later): pass metadata, session and requestId as options instead',
    );
  }
  const wrong = wrongAnnotations(context);
  if (wrong.length > 0) {
    throw new WeirConfigError(`withWeirContext() was called with an invalid context: ${wrong.join('; ')}`);
  }
  const outer = store.getStore();
  return store.run({ ...outer, ...context, metadata: { ...outer?.metadata, ...context.metadata } }, work);
}

/** The context of the current call. */
export function currentContext(): WeirContext | undefined {
  // No context has been entered before the storage exists.
  return held.storage?.getStore();
}
