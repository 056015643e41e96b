/**
 * `npm run pictures`: takes the screenshots for README and guides, in both themes, from the demo's service and traffic, which it
 * spreads over a day. Needs Chromium; `WEIR_TEST_CHROMIUM` sets a path other than the usual ones. `-- overview` takes only one.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import { chromium } from 'playwright-core';
import { ensureBuilt } from './build-if-changed.mjs';
import { send } from './demo-calls.mjs';
import { startDemo } from './demo-service.mjs';
import { callNumber } from './demo-traffic.mjs';

const HOUR_MS = 3_600_000;
const FOLDER = 'docs/pictures';
const MAX_BYTES = 150_000;
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** The number of calls in each hour of the day before the pictures, and the sequence of the demo's twelve kinds of calls. */
const CALLS_PER_HOUR = [4, 3, 2, 2, 3, 4, 7, 11, 16, 19, 20, 18, 14, 17, 21, 22, 19, 15, 12, 9, 8, 7, 6, 5];
const KINDS = [1, 2, 5, 0, 1, 10, 2, 5, 11, 1, 2, 3, 5, 10, 1, 9, 2, 5, 7, 1, 0, 2, 5, 4, 1, 10, 6, 2, 8];
/** Name of the picture, the page, and the elements that must be visible before it is taken. */
const PICTURES = [
  ['overview', '/'],
  ['events', '/events'],
  ['call', async (page, base) => openBlockedCall(page, base)],
  ['policy', '/policies/production'],
  ['app-keys', async (page, base) => openKeys(page, base)],
  ['budgets', '/budgets'],
  ['exports', '/exports'],
  ['playground', async (page, base) => judgeText(page, base)],
  ['make-test', async (page, base) => makeTest(page, base)],
];
/** A budget, which the shipped policies do not contain: small enough that a day of the demo's traffic is visible in it. */
const BUDGET = `
budgets:
  - id: team-day
    scope: [metadata.team]
    window: { per: day, timezone: UTC }
    limit: { usd: 0.01 }
    warn_at: [0.5, 0.8]
    on_exceed: record
`;

const only = process.argv.slice(2);
const executablePath = process.env.WEIR_TEST_CHROMIUM ?? PLACES.find((path) => existsSync(path));
if (executablePath === undefined) throw new Error('No Chromium was found; WEIR_TEST_CHROMIUM names one.');

await ensureBuilt();
mkdirSync(FOLDER, { recursive: true });
process.env.PICTURES_BEHIND_MS = String(25 * HOUR_MS);
const ownFolder = mkdtempSync(join(tmpdir(), 'weir-pictures-'));
const policies = join(ownFolder, 'policies');
cpSync('policies', policies, { recursive: true });
appendFileSync(join(policies, 'production', 'policy.yaml'), BUDGET);
const demo = await startDemo({
  port: await freePort(),
  nodeOptions: ['--import', './scripts/movable-clock.mjs'],
  isClockMoved: true,
  env: { WEIR_POLICIES_DIR: policies },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
try {
  await aDayOfTraffic();
  await moveClock(0);
  await untilReplicasAreSeen();
  await exportBlocked();
  await takePictures();
} finally {
  demo.server.disconnect();
  await demo.stop();
  rmSync(ownFolder, { recursive: true, force: true });
}

function moveClock(behindMs) {
  const moved = new Promise((resolve) => demo.server.once('message', resolve));
  demo.server.send({ behindMs });
  return moved;
}

async function aDayOfTraffic() {
  const total = CALLS_PER_HOUR.reduce((sum, count) => sum + count, 0);
  const bar = new SingleBar({ format: 'traffic {bar} {value}/{total} calls', stream: process.stderr });
  bar.start(total, 0);
  let sent = 0;
  for (const [hour, count] of CALLS_PER_HOUR.entries())
    for (let nth = 0; nth < count; nth++) {
      await moveClock(Math.round((CALLS_PER_HOUR.length - hour - nth / count) * HOUR_MS));
      const index = 12 * Math.floor(sent / KINDS.length) + KINDS[sent % KINDS.length] + 12 * (sent % 7);
      await send(demo, callNumber(index), sent);
      sent++;
      bar.increment();
    }
  bar.stop();
}

/** Waits until all replicas are active: the clock has jumped by a day, so they count as lost until they report again. */
async function untilReplicasAreSeen() {
  const headers = { authorization: `Bearer ${demo.bootstrap.token}` };
  for (let isLost = true; isLost; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const { replicas } = await (await fetch(`${demo.base}/v1/policies/production`, { headers })).json();
    isLost = replicas.some(({ state }) => state !== 'active');
  }
}

/** Exports the blocked calls, adds a weekly schedule for the same export, and waits until the first file is written. */
async function exportBlocked() {
  const headers = { authorization: `Bearer ${demo.bootstrap.token}`, 'content-type': 'application/json' };
  const made = async (path, body) => {
    const answer = await fetch(`${demo.base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const filters = { environment: 'production', decision: 'block' };
  await made('/v1/export-schedules', {
    ...{ name: 'Blocked calls for the auditors', due: { every: 'week', weekday: 'monday', hour: 2 } },
    ...{ format: 'csv', bom: true, filters },
  });
  const { id } = await made('/v1/exports', { format: 'parquet', filters });
  for (let state = ''; state !== 'done'; await new Promise((resolve) => setTimeout(resolve, 200))) {
    ({ state } = await (await fetch(`${demo.base}/v1/exports/${id}`, { headers })).json());
    if (state === 'failed') throw new Error('The export failed.');
  }
}

async function takePictures() {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme });
      const page = await context.newPage();
      await page.addInitScript(watchQuestions);
      await signIn(page);
      for (const [name, way] of PICTURES) {
        if (only.length > 0 && !only.includes(name)) continue;
        if (typeof way === 'string') await page.goto(`${demo.base}${way}`);
        else await way(page, demo.base);
        await drawn(page);
        await keep(page, `${FOLDER}/${name}-${colorScheme}.webp`);
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

/** Runs in the page before its own code: counts consecutive frames without a pending request. */
function watchQuestions() {
  let open = 0;
  globalThis.quietFrames = 0;
  const ask = globalThis.fetch.bind(globalThis);
  globalThis.fetch = (...question) => {
    open++;
    const answered = ask(...question);
    answered
      .then((answer) => answer.clone().arrayBuffer())
      .catch(() => undefined)
      .finally(() => open--);
    return answered;
  };
  const frame = () => {
    globalThis.quietFrames = open === 0 ? globalThis.quietFrames + 1 : 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Waits until no request is pending, nothing is loading, and the content has been drawn in its fonts. */
async function drawn(page) {
  await page.waitForFunction(
    () =>
      globalThis.quietFrames >= 4 &&
      document.querySelector('main .page') !== null &&
      document.querySelector('main .skeleton') === null,
    undefined,
    { polling: 'raf' },
  );
  await page.evaluate(() => document.fonts.ready);
}

/** Saves a screenshot as WebP, which has a quarter of the size of PNG; fails if it is too large for a page of documentation. */
async function keep(page, path) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_BYTES) throw new Error(`${path} has ${bytes.length} bytes, more than ${MAX_BYTES}.`);
  writeFileSync(path, bytes);
  process.stdout.write(`${path}  ${Math.ceil(bytes.length / 1000)} kB\n`);
}

async function signIn(page) {
  const { email, password } = demo.bootstrap.account;
  await page.goto(`${demo.base}/auth/login?next=/`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function openBlockedCall(page, base) {
  await page.goto(`${base}/events?rule=secrets.block-live-credential`);
  await page.getByRole('row').nth(1).click();
  await page.getByRole('tab', { name: 'Conversation' }).waitFor();
}

async function judgeText(page, base) {
  await page.goto(`${base}/policies/playground`);
  await page
    .getByLabel('Text', { exact: true })
    .fill('Write to ana@corp.example that her card 4111 1111 1111 1111 was charged twice.');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Redacted').first().waitFor();
}

async function makeTest(page, base) {
  await openBlockedCall(page, base);
  await page.getByRole('button', { name: 'Make a test' }).click();
  await page.getByRole('dialog').getByText('kind: PolicyTest').waitFor();
}

async function openKeys(page, base) {
  await page.goto(`${base}/apps/${demo.bootstrap.app.id}/settings/keys`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
}
