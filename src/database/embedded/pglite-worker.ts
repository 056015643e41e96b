/**
 * The embedded database's thread: PGlite runs here, so that a statement never blocks the server's event loop. Only `embedded-database.ts`
 * starts it; it imports only packages, so that it also runs from source.
 */
import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { open as openFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { parse, PGlite, protocol, type postgresMod, type Results } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { dataDir as newDataDir } from '@electric-sql/pglite-prepopulatedfs';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './worker-protocol.js';

const settings = workerData as WorkerSettings;

/**
 * PGlite's file system ignores `fsync`, and PGlite starts the server with `-F`: a commit would only be in the operating system's cache,
 * and a power failure would lose it. This file system flushes files and directories.
 */
class FlushingNodeFs extends NodeFS {
  override async init(
    pg: PGlite,
    options: Partial<postgresMod.PostgresMod>,
  ): Promise<{ emscriptenOpts: Partial<postgresMod.PostgresMod> }> {
    const { emscriptenOpts } = await super.init(pg, options);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), installFlush] } };
  }
}

interface NodeFsModule {
  stream_ops: { fsync?: (stream: { nfd?: number; node: unknown }) => number };
  realPath(node: unknown): string;
}

/** The number of flushes that PostgreSQL requested and that reached the disk. */
let flushes = 0;

function installFlush(module: postgresMod.PostgresMod): void {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-member-access -- emscripten's types do not name it
  const nodeFs = module.FS.filesystems.NODEFS as unknown as NodeFsModule;
  nodeFs.stream_ops.fsync = (stream) => {
    flushes += 1;
    if (stream.nfd === undefined) {
      flushPath(nodeFs.realPath(stream.node));
    } else {
      fsyncSync(stream.nfd);
    }
    return 0;
  };
}

function flushPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The number of concurrent flushes, which let the file system write its journal once for many files. */
const FLUSHES_AT_ONCE = 32;

/** Flushes the files of a new database, about a thousand, which are written without being flushed. */
async function flushTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const paths = [directory, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const flushRest = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const file = await openFile(path, 'r');
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    }
  };
  await Promise.all(Array.from({ length: FLUSHES_AT_ONCE }, flushRest));
}

/**
 * `-F` switches fsync off; `fdatasync` is a no-op in the WASM build, `fsync` is the call that reaches the disk. The shared buffers have
 * 16 MB; other pages are read from the operating system's cache, which has them anyway.
 */
function startParameters(): string[] {
  const defaults: string[] = PGlite.defaultStartParams;
  const ours = ['fsync=on', 'wal_sync_method=fsync', 'shared_buffers=16MB'];
  return [...defaults.filter((parameter) => parameter !== '-F'), ...ours.flatMap((setting) => ['-c', setting])];
}

/** Keeps date, timestamp, timestamptz and interval as text, as the EntityManager expects from a driver. */
const parsers = Object.fromEntries([1082, 1114, 1184, 1186].map((oid) => [oid, (text: string) => text]));

async function open(): Promise<PGlite> {
  const isNew = readdirSync(settings.directory).length === 0;
  const pglite = await PGlite.create({
    fs: new FlushingNodeFs(settings.directory),
    relaxedDurability: false,
    parsers,
    startParams: startParameters(),
    // The files that `initdb` would write, included in PGlite's package: creating them takes three seconds and 240 MB.
    ...(isNew ? { loadDataDir: await newDataDir() } : {}),
  });
  if (isNew) {
    await flushTree(settings.directory);
  }
  await assertCommitsFlush(pglite);
  return pglite;
}

/**
 * Commits a message and checks that it was flushed. The flush relies on an internal part of PGlite: if a new version renames it, the
 * database refuses to open instead of acknowledging data that it may lose.
 */
async function assertCommitsFlush(pglite: PGlite): Promise<void> {
  const before = flushes;
  await pglite.query(`SELECT pg_logical_emit_message(true, 'weir', 'start')`);
  if (flushes === before) {
    throw new Error('commits are not flushed to disk');
  }
}

/** The stack pointer that emscripten exports because PGlite loads extensions; undefined if a new version no longer does. */
type StackModule = postgresMod.PostgresMod & { readonly ___stack_pointer?: { value: number } };

/**
 * The function that gives back the stack that SQL errors have used. PostgreSQL leaves a failed statement by `longjmp`, and in the WASM build
 * the stack pointer stays where it was: each error of any kind took 0.7 to 6 kB of the 2 MB stack, and after some 2,000 errors no statement
 * succeeded any more (SQLSTATE 54001). Between two requests, no statement runs, so the stack is as deep as after the opening.
 */
function stackReset(pglite: PGlite): () => void {
  const { ___stack_pointer: pointer } = pglite.Module as StackModule;
  if (pointer === undefined) throw new Error('the stack that errors use cannot be given back');
  const atRest = pointer.value;
  return () => {
    pointer.value = atRest;
  };
}

type Query = Extract<WorkerRequest, { kind: 'query' }>;
type Row = Record<string, unknown>;

/** Names of the statements that are prepared in the session. */
const prepared = new Set<string>();

/** The text of the statement that enters a scope is sent by the server's thread, because this file imports packages only. */
const SCOPE_NAME = 'weir-scope';

/**
 * Runs a statement. `PGlite.query` parses and plans each time and enters the database once per protocol message; a prepared statement
 * is planned once and runs in one go, which is a quarter of the work for a statement of many columns. A statement with a scope runs in
 * the same way after the statement that enters the scope: up to `Sync` they are one transaction.
 */
async function query(pglite: PGlite, request: Query): Promise<Results<Row>> {
  const { sql, parameters, prepareAs, scope, after = [] } = request;
  if (scope === undefined && (prepareAs === undefined || !parameters.every(isPlain))) {
    return pglite.query<Row>(sql, [...parameters]);
  }
  const { serialize } = protocol;
  return pglite.runExclusive(async () => {
    if (scope !== undefined) await prepare(pglite, SCOPE_NAME, settings.scopeStatement);
    for (const one of after) await prepare(pglite, one.prepareAs, one.sql, scope);
    if (prepareAs !== undefined) await prepare(pglite, prepareAs, sql, scope);
    const { messages } = await pglite.execProtocol(
      Buffer.concat([
        ...(scope === undefined ? [] : enter(scope)),
        ...after.flatMap((one) => run(one.prepareAs, one.parameters)),
        ...(prepareAs === undefined ? [serialize.parse({ text: sql })] : []),
        bind(prepareAs ?? '', parameters.map(textOf)),
        serialize.describe({ type: 'P' }),
        serialize.execute({}),
        serialize.sync(),
      ]),
    );
    // Skips the messages for the scope and the preceding statements, whose results are not used.
    let first = 0;
    for (let ends = scope === undefined ? 0 : 1 + after.length; ends > 0; first++)
      if (messages[first]?.name === 'commandComplete') ends -= 1;
    const [result] = parse.parseResults(messages.slice(first), pglite.parsers) as Results<Row>[];
    return result ?? { rows: [], fields: [] };
  });
}

/** The protocol messages that activate a scope. It stays active until the next `Sync` message. */
function enter(scope: readonly string[]): Uint8Array[] {
  return run(SCOPE_NAME, scope);
}

/** The messages that run a prepared statement. */
function run(name: string, parameters: readonly unknown[]): Uint8Array[] {
  return [bind(name, parameters.map(textOf)), protocol.serialize.execute({})];
}

/** The length of a Bind message of an unnamed statement without values. */
const EMPTY_BIND_BYTES = 13;
/** In place of a length: there is no value. */
const NULL_LENGTH = -1;

/**
 * The message that binds values in text format to a prepared statement. PGlite's `serialize.bind` measures each value twice in a loop over
 * its characters and copies all of them several times; during this time, no other statement runs.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BIND
 */
function bind(statement: string, values: readonly (string | null)[]): Uint8Array {
  const sized = values.map((value) => ({ value, length: value === null ? NULL_LENGTH : Buffer.byteLength(value) }));
  const named = EMPTY_BIND_BYTES + Buffer.byteLength(statement);
  const message = Buffer.allocUnsafe(sized.reduce((sum, { length }) => sum + 4 + Math.max(0, length), named));
  message.write('B');
  message.writeInt32BE(message.length - 1, 1);
  // The unnamed portal; and 0 format codes: all values are text.
  let at = message.writeInt8(0, 5);
  at += message.write(statement, at);
  at = message.writeInt8(0, at);
  at = message.writeInt16BE(0, at);
  at = message.writeUInt16BE(sized.length, at);
  for (const { value, length } of sized) {
    at = message.writeInt32BE(length, at);
    if (value !== null) at += message.write(value, at);
  }
  message.writeInt16BE(0, at);
  return message;
}

async function prepare(pglite: PGlite, name: string, text: string, scope?: readonly string[]): Promise<void> {
  if (prepared.has(name)) return;
  const { serialize } = protocol;
  const messages = [...(scope === undefined ? [] : enter(scope)), serialize.parse({ name, text }), serialize.sync()];
  await pglite.execProtocol(Buffer.concat(messages));
  prepared.add(name);
}

/** Whether a value has the same text form for every parameter type. */
function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A parameter of `SqlExecutor` in PostgreSQL's text format, which has special rules for arrays and bytes. */
function textOf(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  return `${value as string | number | boolean}`;
}

function elementOf(value: unknown): string {
  return value === null ? 'NULL' : `"${`${value as string | number | boolean}`.replace(/["\\]/g, '\\$&')}"`;
}

/** The name of the errors by which a WASM program ends. https://webassembly.github.io/spec/js-api/#error-objects */
const WASM_CRASH = 'RuntimeError';

async function answer(pglite: PGlite, request: WorkerRequest): Promise<WorkerReply> {
  try {
    switch (request.kind) {
      case 'query': {
        const { rows, affectedRows } = await query(pglite, request);
        return { id: request.id, ok: true, rows, affectedRows: affectedRows ?? 0 };
      }
      case 'script':
        await pglite.exec(request.sql);
        return { id: request.id, ok: true, rows: [], affectedRows: 0 };
      case 'close':
        await pglite.close();
        return { id: request.id, ok: true, rows: [], affectedRows: 0 };
    }
  } catch (error) {
    // The memory of the database is in an unknown state, for example after an access out of bounds.
    if (error instanceof Error && error.name === WASM_CRASH) endThread();
    return { id: request.id, ok: false, error: describeError(error) };
  }
}

function describeError(error: unknown): { code?: string; message: string; constraint?: string } {
  if (!(error instanceof Error)) {
    return { message: 'unknown error' };
  }
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown };
  return {
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
  };
}

/**
 * Ends this thread, not the process: PostgreSQL has aborted (PANIC), for example because it cannot write its log, and PGlite would repeat
 * the statement for ever; or its program has crashed. The server's thread notices the end.
 */
function endThread(): void {
  process.exit(1);
}

async function main(port: MessagePort): Promise<void> {
  let pglite: PGlite;
  let resetStack: () => void;
  try {
    pglite = await open();
    resetStack = stackReset(pglite);
    // Read by emscripten when it aborts. During the opening, an abort is an error whose message names the cause.
    Object.assign(pglite.Module, { onAbort: endThread });
  } catch (error) {
    port.postMessage({ id: 0, ok: false, error: describeError(error) } satisfies WorkerReply);
    return;
  }
  port.postMessage({ id: 0, ok: true, rows: [], affectedRows: 0 } satisfies WorkerReply);
  // PGlite queues statements itself; requests are answered in the order of arrival.
  port.on('message', (request: WorkerRequest) => {
    void answer(pglite, request).then((reply) => {
      resetStack();
      port.postMessage(reply);
      if (request.kind === 'close') {
        port.close();
      }
    });
  });
}

if (parentPort === null) {
  throw new Error('this file runs only as a worker thread');
}
await main(parentPort);
