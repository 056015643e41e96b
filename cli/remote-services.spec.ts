import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../test/support/run-weir.js';

const POLICY = `
apiVersion: weir/v1
kind: Policy
metadata: { id: p, title: P, owner: a@example.com }
environment: production
default: allow
detectors:
  people: { plugin: remote@^1, service: presidio, format: presidio, entities: [PERSON], timeout_ms: 5000 }
rules:
  - id: flag-people
    title: People
    stage: pre
    severity: low
    when: { all: [{ people.types: { any_of: [PERSON] } }] }
    then: { action: flag }
    on_unknown: no_match
`;

describe('weir scan with remote detectors', () => {
  let folder: string;
  let server: Server;
  let address: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-remote-'));
    await writeFile(join(folder, 'policy.yaml'), POLICY);
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify([{ entity_type: 'PERSON', start: 2, end: 5, score: 0.9 }]));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await new Promise((closed) => server.close(closed));
    await rm(folder, { recursive: true });
  });
  const weir = (command: readonly string[], line: object, env: Record<string, string>) =>
    runWeir([...command, '--config', 'policy.yaml'], {
      cwd: folder,
      stdin: `${JSON.stringify(line)}\n`,
      env,
    });

  it('calls the service named in the settings', async () => {
    const { stdout, exit } = await weir(
      ['scan'],
      { id: 1, text: 'I Ann' },
      { WEIR_REMOTE_DETECTORS: `presidio=${address}` },
    );
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      id: 1,
      findings: [{ detector: 'people', code: 'PERSON', start: 2, end: 5, score: 0.9 }],
    });
  });

  it('evaluates the findings of the service', async () => {
    const line = { text: 'I Ann', spans: [{ start: 2, end: 5, code: 'PERSON' }] };
    const { stdout } = await weir(['eval', '-', '--json'], line, { WEIR_REMOTE_DETECTORS: `presidio=${address}` });
    expect(JSON.parse(stdout)).toMatchObject({ codes: [{ code: 'PERSON', truePositives: 1 }], failedScans: 0 });
  });

  it('names the missing setting if the settings do not name the service', async () => {
    const { stderr, exit } = await weir(['scan'], { id: 1, text: 'I Ann' }, {});
    expect(exit).toBe(2);
    expect(stderr).toContain('detector "people" needs the service "presidio"');
    expect(stderr).toContain('WEIR_REMOTE_DETECTORS=presidio=http://');
  });

  it('reports a service without a response as a failed scan', async () => {
    const { stdout, exit } = await weir(
      ['scan'],
      { id: 1, text: 'I Ann' },
      { WEIR_REMOTE_DETECTORS: 'presidio=http://127.0.0.1:1' },
    );
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toEqual({ id: 1, findings: [], failed: [{ detector: 'people', reason: 'failed' }] });
  });
});
