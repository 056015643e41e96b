import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { comparePolicies } from '../policy-diff/index.js';
import { policyChanges } from './index.js';

const nowMs = Date.parse('2026-11-21T09:00:00Z');

/** A policy with one rule that blocks a tool call, and the list that its condition names. */
const policy = (when: string, entries: readonly string[]): CompiledPolicy =>
  policyOf(`${head()}lists: { named: [${entries.join(', ')}] }
rules:
  - id: t
    stage: tool
    when: ${when}
    then: { action: block }
    on_unknown: match
`);

const MAIL_OUTSIDE =
  '{ tool_calls: { some: { all: [{ name: send_email }, { not: { args.to: { email_domain_in: $lists.named } } }] } } }';
const UNCHECKED = '{ history.tool_calls: { none: { name: { in: $lists.named } } } }';
const FROM_LIST =
  '{ flow: { from: { tool_result: { name: { in: $lists.named } } }, to: { tool_call: { name: pay } } } }';
const TO_LIST =
  '{ not: { not: { flow: { from: { tool_result: { name: fetch } }, to: { tool_call: { name: { in: $lists.named } } } } } } }';
const HOSTS = Array.from({ length: 700 }, (_, index) => `host-${index}.example`);

describe('A list that a condition names', () => {
  it.each<[where: string, when: string, stricter: readonly string[], weaker: readonly string[]]>([
    ['inside some', MAIL_OUTSIDE, ['acme.example'], ['acme.example', 'attacker.example']],
    ['inside some, with hundreds of entries', MAIL_OUTSIDE, HOSTS, [...HOSTS, 'attacker.example']],
    ['inside none', UNCHECKED, ['check'], ['check', 'look']],
    ['in the first step of flow', FROM_LIST, ['fetch', 'browse'], ['fetch']],
    ['in the second step of flow', TO_LIST, ['pay', 'deploy'], ['pay']],
  ])('%s, is compared by requests, and its entries are known to be weaker or stricter', async (...given) => {
    const [, when, stricter, weaker] = given;
    for (const [direction, before, after] of [
      ['weaker', stricter, weaker],
      ['stricter', weaker, stricter],
    ] as const) {
      const [base, next] = [policy(when, before), policy(when, after)];
      const { changes } = await comparePolicies(base, next, { plugins: PLUGINS, nowMs });
      const shown = changes.filter((one) => one.before.action !== one.after.action);
      expect(new Set(shown.map((one) => one.direction))).toEqual(new Set([direction]));
      expect(policyChanges(base, next, nowMs)).toEqual([
        expect.objectContaining({ what: 'list', id: 'named', effect: direction, weaker: direction === 'weaker' }),
      ]);
    }
  });
});
