/** The gates before production, run as commands: each command checks a change of every leaf of the policy format. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PLUGINS } from '../../plugins/index.js';
import { LEAF_CLASSES, mutantsOf, policySchemas } from '../../src/authoring/index.js';
import { compilePolicy } from '../../src/core/index.js';
import { changedLeaf, FULL_POLICY, INHERITED_CHANGES, OTHER_VALUES, PLAIN_TEXT } from '../support/full-policy.js';
import { urlOf } from '../support/ports.js';
import { runWeir, type WeirRun } from '../support/run-weir.js';
import { leavesOfSchema, type Schema } from '../support/schema-leaves.js';

/** Four commands per leaf take minutes: WEIR_TEST_LEAVES=all selects all leaves, otherwise the seed selects a third. */
const DRAWN = process.env['WEIR_TEST_LEAVES'];
const ONE_OF = 3;
const SEED = Number(process.env['WEIR_TEST_SEED'] ?? 0);

const POLICY = 'policies/production/policy.yaml';
const TESTS = (action: string): string => `apiVersion: weir/v1
kind: PolicyTest
environments: [production]
clock: 2026-11-21T00:00:00Z
defaults: { app: { id: a, name: web }, key: { id: k, name: k }, model: { name: gpt-4o }, provider: openai }
tests:
  - { id: nothing-in-it, text: hello, expect: { action: ${action}, rules: [${action === 'block' ? 'default' : ''}] } }
`;
const SCHEMA = policySchemas(PLUGINS, { detectors: new Map(), budgets: [], lists: [], conditions: [] })[
  'policy.v1.json'
] as Schema;

interface Planned {
  readonly changes: readonly { readonly effect: string; readonly details: readonly string[] }[];
  readonly effect: { readonly changed: { readonly weaker: number; readonly stricter: number } };
}

describe('A change of any leaf of the policy format', () => {
  let home: string;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'weir-gates-'));
    put('policies/weir.config.yaml', 'apiVersion: weir/v1\nkind: Project\nenvironments: [production]\n');
    put('policies/_shared/base.yaml', PLAIN_TEXT);
    put(POLICY, JSON.stringify(FULL_POLICY));
    put('policies/tests/a.test.yaml', TESTS('allow'));
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'What is in force');
    await serveWhatIsInForce();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true, force: true });
  });

  function put(file: string, text: string): void {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }
  function git(...args: string[]): void {
    const who = ['-c', 'user.name=Tests', '-c', 'user.email=tests@example.com'];
    execFileSync('git', ['-C', home, ...who, ...args], { stdio: 'ignore' });
  }
  function weir(...argv: string[]): Promise<WeirRun> {
    const env = { WEIR_URL: url, WEIR_TOKEN: 'token', HOME: home, PATH: process.env['PATH'] ?? '' };
    return runWeir(argv, { cwd: home, env, nowMs: () => performance.now() });
  }

  /** A minimal server with only the routes that `weir plan` requests. */
  async function serveWhatIsInForce(): Promise<void> {
    const bundle = (await weir('build', 'production', '-o', '-')).stdout;
    const { digest } = (JSON.parse(bundle) as { policy: { digest: string } }).policy;
    const active = JSON.stringify({
      environment: 'production',
      source: 'folder',
      policy: 'full',
      digest,
      version: digest.slice(0, 12),
      base: { number: 0, digest },
      deployment: null,
      replicas: [],
    });
    server = createServer(({ url: path = '' }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(path.endsWith('/bundle') ? bundle : active);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = urlOf(server);
  }

  const said = ({ exit, stderr }: WeirRun): string => `${exit} ${stderr.trimEnd().split('\n').at(-1)!}`;

  async function gates(text: string, action = 'allow') {
    put(POLICY, text);
    put('policies/tests/a.test.yaml', TESTS(action));
    const diff = await weir('diff', '--witness', '--fail-on-weakening', '--max-requests', '200');
    const mutate = await weir('mutate', '--since', 'HEAD', '--json');
    const plan = await weir('plan', 'production', '--json');
    const planned = JSON.parse(plan.stdout === '' ? `"${said(plan)}"` : plan.stdout) as Planned;
    return { diff, mutate, planned, shown: await weir('plan', 'production', '--all') };
  }

  /** The descriptions of the mutants of one leaf. */
  function mutantsOfLeaf(leaf: string, text: string): string[] {
    const { policy } = compilePolicy({
      environment: 'production',
      files: [
        { path: 'production/policy.yaml', text },
        { path: '_shared/base.yaml', text: PLAIN_TEXT },
      ],
      plugins: PLUGINS,
    });
    const mutants = policy === undefined ? [] : mutantsOf(new Map([['production', policy]]));
    return mutants.flatMap((mutant) => (mutant.leaf === leaf ? [mutant.text] : []));
  }

  const every = Object.entries(OTHER_VALUES).flatMap(([leaf, { weaker, stricter, either }]) => [
    ...(weaker === undefined ? [] : [[leaf, 'weaker', weaker.value] as const]),
    ...(stricter === undefined ? [] : [[leaf, 'stricter', stricter.value] as const]),
    ...(either === undefined ? [] : [[leaf, 'not comparable', either.value] as const]),
  ]);
  const cases = DRAWN === 'all' ? every : every.filter((_one, index) => (index + SEED) % ONE_OF === 0);

  it.each(cases)('that makes %s %s is detected by diff, mutate and plan', async (leaf, direction, value) => {
    const text = JSON.stringify(changedLeaf(leaf, value as never));
    const { diff, mutate, planned, shown } = await gates(text, value === 'block' ? 'block' : 'allow');
    expect(said(diff)).toMatch(
      direction === 'stricter' ? /^0 .*1 of 1 environments changed/ : /^1 .*(?:weaker|strictly)/,
    );
    expect(said(mutate)).toMatch(/^0 exit 0: score \d/);
    const { mutants } = JSON.parse(mutate.stdout) as { readonly mutants: readonly { readonly text: string }[] };
    const own = mutantsOfLeaf(leaf, text);
    expect(own.length === 0 || mutants.some((mutant) => own.includes(mutant.text))).toBe(true);
    const { changed } = planned.effect;
    const effects = planned.changes.map(({ effect }) => effect);
    if (direction === 'stricter') {
      expect(changed.stricter > 0 || effects.includes('stricter')).toBe(true);
      expect(shown.stdout).not.toContain('WEAKER');
    } else {
      expect(changed.weaker > 0 || effects.some((one) => one === 'weaker' || one === 'incomparable')).toBe(true);
      expect(shown.stdout).toMatch(/WEAKER|NOT COMPARABLE/);
    }
  });

  it.each(Object.entries(INHERITED_CHANGES))(
    'that weakens %s only in the resolved policy is reported as weaker by diff, and planned',
    async (_leaf, change) => {
      const { diff, mutate, planned } = await gates(JSON.stringify(change(structuredClone(FULL_POLICY))));
      expect(said(diff)).toMatch(/^1 .*(?:weaker|strictly)/);
      expect(said(mutate)).toMatch(/^0 exit 0: (?:score \d|the changes since)/);
      expect(planned.changes).not.toEqual([]);
    },
  );

  it('has a test case, or the leaf is classified as neither weaker nor stricter', () => {
    const neutral = leavesOfSchema(SCHEMA).filter(
      (leaf) => OTHER_VALUES[leaf] === undefined && INHERITED_CHANGES[leaf] === undefined,
    );
    const notNeutral = neutral.filter((leaf) => LEAF_CLASSES[leaf]?.order.words !== 'neither weaker nor stricter');
    expect(notNeutral).toEqual([]);
    expect(neutral.filter((leaf) => LEAF_CLASSES[leaf]?.why.startsWith('The effect of this key is compared'))).toEqual(
      [],
    );
  });
});
