import { WeirConfigError } from './errors.js';
import { wrongAnnotations } from './options.js';
import { runtimeProcess } from './runtime.js';

/** Data about all calls of one task, in addition to the client's own options. */
export interface WeirContext {
  /** Joined with the metadata of the options; these win. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly session?: string;
  /** Ties the calls to the request that they were made for; goes to Weir alone, never to the provider. */
  readonly requestId?: string;
}

interface Storage {
  run<R>(store: WeirContext, work: () => R): R;
  getStore(): WeirContext | undefined;
}

let storage: Storage | null | undefined;

/**
 * Says something about all calls that are made inside `work`, however deep and however late: in awaited functions,
 * timers and streams that begin there. Contexts inside one another are joined, the inner one wins.
 *
 * @throws WeirConfigError in a runtime without `AsyncLocalStorage` (Node.js before 20.16, browsers), and for what cannot be said
 */
export function withWeirContext<R>(context: WeirContext, work: () => R): R {
  const store = contextStorage();
  if (store === null) {
    throw new WeirConfigError(
      'withWeirContext() needs AsyncLocalStorage (Node.js 20.16 or later): pass metadata, session and requestId as options instead',
    );
  }
  const wrong = wrongAnnotations(context);
  if (wrong.length > 0) throw new WeirConfigError(`withWeirContext() cannot say this about calls: ${wrong.join('; ')}`);
  const outer = store.getStore();
  return store.run({ ...outer, ...context, metadata: { ...outer?.metadata, ...context.metadata } }, work);
}

/** What is said about the call that is being made. */
export function currentContext(): WeirContext | undefined {
  // Nobody has entered one before the storage is there.
  return storage?.getStore();
}

/** Asked for by name when it is needed: an import would fail where there is no such module. */
function contextStorage(): Storage | null {
  if (storage === undefined) {
    type Class = new () => Storage;
    const hooks = runtimeProcess()?.getBuiltinModule?.('node:async_hooks') as { AsyncLocalStorage?: Class } | undefined;
    const found = hooks?.AsyncLocalStorage ?? (globalThis as { AsyncLocalStorage?: Class }).AsyncLocalStorage;
    storage = found === undefined ? null : new found();
  }
  return storage;
}
