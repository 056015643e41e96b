import type { CallContents } from '../model/call.js';
import { contentsRules } from './contents-rules.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { DETECTORS, head } from '../policy/testdata/sample-policy.js';
import { found, judge, names } from './testdata/judge.js';

const POLICY = {
  id: 'p',
  monitor: false,
  clientMonitorMode: 'honor',
  media: 'flag',
  unread: { governed: 'refuse', other: 'pass' },
} as CompiledPolicy;
const CONTENTS: CallContents = {
  governed: true,
  unread: [{ path: 'parts[1]', why: 'archive', bytes: 9 }],
  media: [{ path: 'parts[0]', type: 'image/png', bytes: 7 }],
};

describe('contentsRules', () => {
  it('refuses, reports or forwards unread content, as the policy says for the kind of content and the route', () => {
    expect(contentsRules(POLICY, CONTENTS, false)).toMatchObject([
      { rule: 'unread', action: 'block', enforced: true, locations: ['parts[1]'] },
      { rule: 'media', action: 'flag', enforced: true, locations: ['parts[0]'] },
    ]);
    expect(contentsRules(POLICY, { ...CONTENTS, governed: false }, false).map(({ rule }) => rule)).toEqual(['media']);
    expect(contentsRules(POLICY, { governed: true, unread: [], media: [] }, false)).toEqual([]);
  });

  it('refuses answers with unread content, but only reports unknown bytes in a field of an answer', () => {
    const rules = (why: 'binary' | 'archive', path: string) =>
      contentsRules(
        POLICY,
        { governed: true, unread: [{ path, why, bytes: 9 }], media: CONTENTS.media },
        false,
        'post',
      );
    expect(rules('binary', 'body')).toMatchObject([{ stage: 'post', action: 'block' }]);
    expect(rules('archive', 'choices[0].message.audio.data')).toMatchObject([{ action: 'block' }]);
    expect(rules('binary', 'choices[0].message.audio.data')).toMatchObject([{ action: 'flag' }]);
  });

  it('enforces nothing under monitor mode', () => {
    expect(contentsRules({ ...POLICY, monitor: true }, CONTENTS, false)[0]).toMatchObject({
      enforced: false,
      softenedBy: 'policy',
    });
    expect(contentsRules(POLICY, CONTENTS, true)[0]).toMatchObject({ enforced: false, softenedBy: 'client' });
  });
});

describe('judging a call with a document whose reader failed', () => {
  const contents: CallContents = {
    governed: true,
    unread: [{ path: 'messages[0].content[0]', why: 'outage', bytes: 9 }],
    media: [],
  };
  const policy = (rules: string, unread = 'pass', more = ''): string =>
    `${head(`unread: { governed: ${unread} }\n${more}`)}${DETECTORS}rules:\n${rules}`;
  const rule = (action: string, onUnknown: string): string =>
    `  - { id: t, stage: pre, when: { pii.types: { any_of: [EMAIL] } }, then: { action: ${action} }, on_unknown: ${onUnknown} }\n`;

  it('refuses the call as an outage if a rule matches on unknown facts', async () => {
    const decision = await judge(policy(rule('block', 'match')), {}, { contents });
    expect(decision).toMatchObject({ action: 'block', unavailable: true, missing: ['documents'] });
  });

  it('allows the call if no rule matches on unknown facts and the policy allows unread content', async () => {
    const decision = await judge(policy(rule('block', 'no_match')), {}, { contents });
    expect(decision).toMatchObject({ action: 'allow', fired: [] });
  });

  it('refuses the call as an outage if the policy refuses unread content', async () => {
    const decision = await judge(policy(rule('block', 'no_match'), 'refuse'), {}, { contents });
    expect(decision).toMatchObject({ action: 'block', unavailable: true, missing: ['documents'] });
    expect(decision.fired).toMatchObject([{ rule: 'unread', unavailable: true }]);
  });

  it('still refuses for findings elsewhere in the call', async () => {
    const facts = { pii: found('EMAIL') };
    const decision = await judge(policy(rule('block', 'match'), 'refuse'), facts, { contents });
    expect(decision).toMatchObject({ action: 'block', unavailable: false });
    expect(names(decision)).toContain('t');
  });

  it('refuses the call instead of masking only the findings outside the document', async () => {
    const redact = rule('redact, redact: { entities: [EMAIL] }', 'match');
    const decision = await judge(policy(redact), { pii: found('EMAIL') }, { contents });
    expect(decision).toMatchObject({ action: 'block', unavailable: true });
  });

  it('does not apply an allow rule whose condition is that nothing was found', async () => {
    const allow =
      '  - { id: t, stage: pre, when: { pii.count: { eq: 0 } }, then: { action: allow }, on_unknown: no_match }\n';
    const closed = policy(allow).replace('default: allow', 'default: block');
    expect(await judge(closed)).toMatchObject({ action: 'allow' });
    expect(await judge(closed, {}, { contents })).toMatchObject({ action: 'block', unavailable: true });
  });

  it.each([
    ['pii.count: { eq: 0 }', 'nothing was found'],
    ['pii.count: { lt: 2 }', 'few were found'],
    ['not: { pii.types: { any_of: [EMAIL] } }', 'one kind was not found'],
    ['pii.types: { none_of: [EMAIL] }', 'one kind is missing'],
    ['pii.score: { lte: 0.5 }', 'nothing sure was found'],
    ['pii.count: { in: [0, 1] }', 'a number is one of some'],
    ['all: [{ pii.count: { eq: 0 } }, { environment: { eq: production } }]', 'nothing was found, among others'],
  ])('reports no violation for { %s }, because it is unknown whether %s', async (when) => {
    const refuses = (onUnknown: string): string =>
      policy(
        `  - { id: t, stage: pre, when: { ${when} }, then: { action: block, reason: content_policy_violation }, on_unknown: ${onUnknown} }\n`,
      );
    const nothing = { pii: { types: [], count: 0, score: 0, counts: {} } };
    expect(await judge(refuses('match'), nothing)).toMatchObject({ action: 'block', unavailable: false });
    expect(await judge(refuses('match'), nothing, { contents })).toMatchObject({
      action: 'block',
      unavailable: true,
      missing: ['documents'],
    });
    expect(await judge(refuses('no_match'), nothing, { contents })).toMatchObject({ action: 'allow', fired: [] });
  });

  it.each([
    ['pii.count: { gte: 1 }', true],
    ['pii.count: { eq: 0 }', false],
    ['pii.count: { lt: 1 }', false],
    ['pii.count: { in: [0] }', false],
    ['pii.types: { none_of: [EMAIL] }', false],
    ['pii.counts.EMAIL: { gte: 1 }', true],
    ['not: { pii.count: { lte: 0 } }', true],
  ])('keeps a condition certain if further findings cannot change it: %s is %s', async (when, isSure) => {
    const refuses = policy(
      `  - { id: t, stage: pre, when: { ${when} }, then: { action: block, reason: content_policy_violation }, on_unknown: match }\n`,
    );
    const decision = await judge(refuses, { pii: found('EMAIL') }, { contents });
    expect(decision).toMatchObject({ action: isSure ? 'block' : 'allow', unavailable: false });
  });

  it('enforces nothing in monitor mode', async () => {
    const decision = await judge(policy(rule('block', 'match'), 'refuse', 'mode: monitor\n'), {}, { contents });
    expect(decision).toMatchObject({ action: 'allow' });
  });
});
