import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openDatabase } from '../../src/database/index.js';
import { ParquetPacker } from '../../src/events/index.js';
import { ExportRunner } from '../../src/exports/export-runner.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp } from '../support/test-app.js';

describe('An export to Parquet that is being written when the service stops', () => {
  it('is left to the next process, and has not failed', async () => {
    const app = await startTestApp();
    const rest = restClient(() => app);
    const event = { type: 'ai.request', request_id: 'r-1', payload: { prompt: 'hello' } };
    expect((await rest.submit(event)).status).toBe(200);

    const [begun, stopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
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
    const headers = { authorization: `Bearer ${app.bootstrap.token}`, 'content-type': 'application/json' };
    const order = { format: 'parquet', destination: { kind: 'download' } };
    expect((await rest.call('POST', '/v1/exports', headers, JSON.stringify(order))).status).toBe(201);
    await begun.promise;
    await app.weir.close();

    const database = await openDatabase({ kind: 'embedded', dataDir: app.dataDir });
    try {
      const rows = await database.sql.forMaintenance().query('SELECT state, error, runner FROM exports');
      expect(rows).toEqual([{ state: 'running', error: null, runner: null }]);
    } finally {
      await database.close();
      rmSync(dirname(app.dataDir), { recursive: true, force: true });
    }
  });
});
