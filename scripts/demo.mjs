/**
 * `npm run demo`: runs the service with a local simulated provider and realistic traffic; no account is needed.
 * It keeps running afterwards for you to explore; `-- --once` ends it after the traffic, `-- --calls 60` sets the number of calls.
 */
import { SingleBar } from 'cli-progress';
import { ensureBuilt } from './build-if-changed.mjs';
import { send } from './demo-calls.mjs';
import { startDemo } from './demo-service.mjs';
import { callNumber } from './demo-traffic.mjs';

const once = process.argv.includes('--once');
const callsAt = process.argv.indexOf('--calls');
const calls = callsAt === -1 ? 120 : Number(process.argv[callsAt + 1]);
const say = (text) => process.stderr.write(`${text}\n`);

await ensureBuilt();
const demo = await startDemo({ port: process.env.PORT ?? '8080' });
await report(await runTraffic());
if (once) await demo.stop();
else {
  const { email, password } = demo.bootstrap.account;
  say(`\nThe demo is running at ${demo.base}; sign in as ${email} with the password ${password}`);
  say('Press Ctrl-C to end it.');
}

async function runTraffic() {
  const bar = new SingleBar({
    format: 'traffic {bar} {value}/{total} calls',
    stream: process.stderr,
    noTTYOutput: !process.stderr.isTTY,
    notTTYSchedule: 2_000,
  });
  bar.start(calls, 0);
  const counted = new Map();
  for (let index = 0; index < calls; index++) {
    const call = callNumber(index);
    const label = `${call.via} · ${await send(demo, call, index)}`;
    counted.set(label, (counted.get(label) ?? 0) + 1);
    bar.increment();
  }
  bar.stop();
  return counted;
}

async function report(counted) {
  say('');
  for (const [label, count] of [...counted].sort()) say(`${String(count).padStart(5)}  ${label}`);
  const answer = await fetch(`${demo.base}/v1/events?limit=200&type=policy.violation`, {
    headers: { authorization: `Bearer ${demo.bootstrap.token}` },
  });
  const { data } = await answer.json();
  const rules = new Map();
  for (const event of data)
    for (const { rule, enforced } of event.violations ?? []) {
      const label = `${rule}${enforced ? '' : ' (monitored)'}`;
      rules.set(label, (rules.get(label) ?? 0) + 1);
    }
  say('\nRules that fired, from GET /v1/events?type=policy.violation:');
  for (const [rule, count] of [...rules].sort((left, right) => right[1] - left[1]))
    say(`${String(count).padStart(5)}  ${rule}`);
}
