import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Plan } from '../../deploy/plan.js';
import { CONFIG, EXCEPTION, lastLine, policy, project, read, weir } from '../../../test/support/policy-project.js';

/** A project file in which an exception that lasts too long is an error. */
const STRICT = `${CONFIG.replace('levels: {', 'levels: { G303: error,')}max_exception: 90d\n`;

describe('A plan for a bundle', () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    project(policy());
    await weir(['build', 'production', '-o', 'active.json']);
    const active = read('active.json');
    const { digest } = (JSON.parse(active) as { policy: { digest: string } }).policy;
    const state = {
      ...{ environment: 'production', source: 'folder', policy: 'example', digest, version: digest.slice(0, 12) },
      ...{ base: { number: 0, digest }, deployment: null, replicas: [] },
    };
    server = createServer((request, response) => {
      const body = request.url?.endsWith('/bundle') === true ? active : JSON.stringify(state);
      response.setHeader('content-type', 'application/json').end(body);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    project(policy(undefined, EXCEPTION('2100-01-01T00:00:00Z')));
    await weir(['build', 'production', '-o', 'next.json']);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const flags = ['production', '--bundle', 'next.json', '--allow-untested'];
  const planned = async () => {
    const { exit, stdout, stderr } = await weir(['plan', ...flags, '--url', url, '--json']);
    const { findings } = (JSON.parse(stdout) as Plan).checks.lint;
    return { exit, end: lastLine(stderr), codes: findings.map((line) => line.split(' ')[1]) };
  };

  it('is linted with the levels and the limit of exceptions in the project file', async () => {
    expect((await planned()).codes).not.toContain('G303');
    project(read('policies/production/policy.yaml'), STRICT);
    const { exit, end, codes } = await planned();
    expect(codes).toContain('G303');
    expect([exit, end]).toEqual([1, 'exit 1: 1 lint error: the policy cannot be deployed']);
    const deployed = await weir(['deploy', ...flags, '--url', url, '--yes']);
    expect([deployed.exit, lastLine(deployed.stderr)]).toEqual([1, 'exit 1: 1 lint error; nothing was deployed']);
  });
});
