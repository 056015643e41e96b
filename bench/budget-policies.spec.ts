import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadConfig } from '../src/config/index.js';
import { GENEROUS_LIMITS, policiesWithBudget } from './budget-policies.js';
import { shippedPolicy } from './shipped-policy.js';

describe('The policies of a measured service', () => {
  it('are the shipped ones with a budget that blocks, and are removed at the end', () => {
    const { env, remove } = policiesWithBudget();
    const folder = env.WEIR_POLICIES_DIR;
    try {
      const [shipped, measured] = [shippedPolicy(), shippedPolicy(folder)];
      expect(measured.budgets).toHaveLength(1);
      expect(measured.budgets[0]).toMatchObject({ id: 'key-day', onExceed: 'block' });
      expect(shipped.budgets).toEqual([]);
      expect(measured.rules.map(({ id }) => id)).toEqual(shipped.rules.map(({ id }) => id));
    } finally {
      remove();
    }
    expect(readdirSync(dirname(folder)).filter((name) => folder.endsWith(name))).toEqual([]);
  });

  it('come with rate limits that count events, batches, proxied calls and addresses', () => {
    const { rates } = loadConfig({ ...GENEROUS_LIMITS }, () => '');
    const limit = { limit: 999_999_999, windowSeconds: 60 };
    expect(rates).toMatchObject({ events: limit, batch: limit, proxy: limit, calls: limit, address: limit });
  });
});
