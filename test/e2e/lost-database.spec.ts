/** PostgreSQL aborts in the thread of the embedded database: the process ends, and the next one has every acknowledged event. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

/** A segment of the write-ahead log has 16 MiB: fewer events than this fill the current one. */
const MOST_EVENTS = 200;
const EVENT_BYTES = 300_000;

describe('A service whose embedded database aborts', () => {
  it('ends with an error and a line in the log, and continues after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-lost-'));
    const env = { WEIR_DATA_DIR: dataDir, WEIR_WORKERS: '1' };
    const servers = [await ServerProcess.start(env)];
    try {
      const server = servers[0]!;
      const { keys, token } = readBootstrap(dataDir);
      const submit = async (id: string, content: string): Promise<boolean> => {
        const payload = { messages: [{ role: 'user', content }] };
        const body = JSON.stringify({ type: 'ai.request', event_id: id, request_id: id, payload });
        const headers = { authorization: `Bearer ${keys.production}`, 'content-type': 'application/json' };
        const answer = await fetch(`${server.url}/v1/events`, { method: 'POST', headers, body }).catch(() => undefined);
        await answer?.text().catch(() => '');
        return answer?.status === 200;
      };
      expect(await submit('acknowledged', 'hello')).toBe(true);
      const log = join(dataDir, 'db', 'pg_wal');
      renameSync(log, `${log}.away`);
      for (let n = 0; n < MOST_EVENTS && server.isRunning; n++) {
        await submit(`e${n}`, randomBytes(EVENT_BYTES / 2).toString('hex'));
      }
      expect(await server.ended()).toBe(1);
      expect(server.output).toContain('The embedded database has ended unexpectedly');
      rmSync(log, { recursive: true, force: true });
      renameSync(`${log}.away`, log);
      servers.push(await ServerProcess.start(env));
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${servers[1]!.url}/v1/events/acknowledged`, { headers })).status).toBe(200);
    } finally {
      await Promise.all(servers.map((each) => each.kill()));
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 180_000);
});
