import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openDatabase } from '../../src/database/index.js';
import { ErasureRunner } from '../../src/erasure/erasure-runner.js';
import { ParquetPacker, ReplicaEventReader } from '../../src/events/index.js';
import { ExportRunner } from '../../src/exports/export-runner.js';
import { WeirError } from '../../src/http/index.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('An export that is being written when the service stops', () => {
  let app: TestApp;
  let begun: PromiseWithResolvers<void>;
  let stopping: PromiseWithResolvers<void>;
  beforeEach(async () => {
    app = await startTestApp();
    begun = Promise.withResolvers<void>();
    stopping = Promise.withResolvers<void>();
    const event = { type: 'ai.request', request_id: 'r-1', payload: { prompt: 'hello' } };
    expect((await restClient(() => app).submit(event)).status).toBe(200);
  });
  afterEach(() => rmSync(dirname(app.dataDir), { recursive: true, force: true }));

  /** Stops the service while it writes an export, and expects that another process can continue the export at once. */
  const expectLeftToNext = async (format: string): Promise<void> => {
    const headers = { authorization: `Bearer ${app.bootstrap.token}`, 'content-type': 'application/json' };
    const order = JSON.stringify({ format, destination: { kind: 'download' } });
    expect((await restClient(() => app).call('POST', '/v1/exports', headers, order)).status).toBe(201);
    await begun.promise;
    await app.weir.close();
    const database = await openDatabase({ kind: 'embedded', dataDir: app.dataDir });
    try {
      const rows = await database.sql.forMaintenance().query('SELECT state, error, runner FROM exports');
      expect(rows).toEqual([{ state: 'running', error: null, runner: null }]);
    } finally {
      await database.close();
    }
  };

  it('to Parquet is left to the next process, and has not failed', async () => {
    const packer = app.weir.app.get(ParquetPacker, { strict: false });
    const runner = app.weir.app.get(ExportRunner, { strict: false });
    const [pack, close, stop] = [packer.rowGroup.bind(packer), packer.close.bind(packer), runner.stop.bind(runner)];
    packer.rowGroup = async (...input) => {
      begun.resolve();
      await stopping.promise;
      return pack(...input);
    };
    // The export goes on as soon as one of the two has begun to stop.
    packer.close = () => {
      const closed = close();
      stopping.resolve();
      return closed;
    };
    runner.stop = () => {
      const stopped = stop();
      stopping.resolve();
      return stopped;
    };
    await expectLeftToNext('parquet');
  });

  it('from the archive is left to the next process, although erasures close the archive first', async () => {
    const readers = app.weir.app.get(ReplicaEventReader, { strict: false });
    const erasures = app.weir.app.get(ErasureRunner, { strict: false });
    const [upTo, stop] = [readers.upTo.bind(readers), erasures.stop.bind(erasures)];
    readers.upTo = async (...until) => {
      const reader = await upTo(...until);
      reader.list = async () => {
        begun.resolve();
        await stopping.promise;
        // What a reader of the archive throws when its storage is closed.
        throw new WeirError('unavailable');
      };
      return reader;
    };
    erasures.stop = () => {
      stopping.resolve();
      return stop();
    };
    await expectLeftToNext('jsonl');
  });
});
