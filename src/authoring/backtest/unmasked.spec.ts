import { FACTS, found } from '../../core/decision/testdata/judge.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { DETECTORS, head, policyOf as compiled } from '../../core/policy/testdata/sample-policy.js';
import { backtest, recorded } from './testdata/records.js';

/** A policy with one redact rule per list of entities; all of them match every call with a finding. */
function masking(...rules: readonly string[]): CompiledPolicy {
  const written = rules.map(
    (redact, index) =>
      `  - { id: r${index}, stage: pre, when: { pii.count: { gt: 0 } }, then: { action: redact, redact: { ${redact} } }, on_unknown: match }\n`,
  );
  return compiled(`${head('', 'staging')}${DETECTORS}rules:\n${written.join('')}`, 'staging');
}

const callWith = (...types: string[]) => ({
  stage: 'pre' as const,
  facts: { ...FACTS, pii: found(...types) },
  metadata: {},
});

/** The event as an earlier version stored it: with the types of the redactions, but without the masked codes. */
function storedEarlier(event: { facts: { stages: object[] } }, redactions?: readonly object[]) {
  const stages = event.facts.stages.map((stage) => ({ ...stage, masked: undefined }));
  return JSON.parse(JSON.stringify({ ...event, facts: { ...event.facts, stages }, redactions })) as unknown;
}

const LESS = {
  unchanged: 0,
  flips: [{ from: 'redact', to: 'redact', count: 1 }],
  newAllows: { count: 1 },
  byRule: [{ name: 'r0', count: 1 }],
};
const SAME = { unchanged: 1, flips: [], newAllows: { count: 0 }, cannotTell: { count: 0 } };
const UNKNOWN = { unchanged: 0, cannotTell: { count: 1, because: [{ fact: 'masked values', count: 1 }] } };

describe('A backtest of a policy that masks other values', () => {
  it('counts a call as newly allowed if a value of it is no longer masked', async () => {
    const { event } = await recorded(masking('entities: [EMAIL, IBAN]'), callWith('IBAN'));
    expect(await backtest(masking('entities: [EMAIL]'), [event])).toMatchObject(LESS);
  });

  it('counts calls as unchanged if all of their masked values stay masked', async () => {
    const before = masking('entities: [EMAIL, IBAN]');
    const { event } = await recorded(before, callWith('EMAIL', 'PHONE'));
    expect(await backtest(masking('entities: [EMAIL]'), [event])).toMatchObject(SAME);
    expect(await backtest(masking('entities: [EMAIL, IBAN, PHONE]'), [event])).toMatchObject(SAME);
  });

  it('counts calls as unchanged if another rule masks the same values', async () => {
    const { event } = await recorded(masking('entities: [EMAIL, IBAN]', 'entities: [PHONE]'), callWith('IBAN'));
    const moved = masking('entities: [EMAIL]', 'entities: [PHONE, IBAN]');
    expect(await backtest(moved, [event])).toMatchObject(SAME);
  });

  it('takes the codes from the record even if callers see only a label', async () => {
    const label = 'label: contains_pii';
    const { event } = await recorded(masking(`entities: [EMAIL, IBAN], ${label}`), callWith('IBAN', 'PHONE'));
    expect(await backtest(masking(`entities: [EMAIL, PHONE], ${label}`), [event])).toMatchObject(LESS);
  });

  describe('with records of an earlier version', () => {
    it('compares the codes of the redactions', async () => {
      const { event } = await recorded(masking('entities: [EMAIL, IBAN]'), callWith('EMAIL', 'IBAN', 'PHONE'));
      const redactions = [
        { type: 'EMAIL', count: 1 },
        { type: 'IBAN', count: 1 },
      ];
      const earlier = storedEarlier(event, redactions);
      expect(await backtest(masking('entities: [EMAIL]'), [earlier])).toMatchObject(LESS);
      expect(await backtest(masking('entities: [EMAIL, IBAN, PHONE]'), [earlier])).toMatchObject(SAME);
    });

    it('cannot tell which codes a label stood for, unless it makes no difference', async () => {
      const { event } = await recorded(masking('entities: [EMAIL, IBAN], label: pii'), callWith('IBAN', 'PHONE'));
      const earlier = storedEarlier(event, [{ type: 'pii', count: 1 }]);
      expect(await backtest(masking('entities: [IBAN]'), [earlier])).toMatchObject(UNKNOWN);
      expect(await backtest(masking('entities: [IBAN, PHONE]'), [earlier])).toMatchObject(SAME);
      expect(await backtest(masking('entities: [EMAIL]'), [earlier])).toMatchObject(LESS);
    });

    it('cannot tell the values that were masked if the export does not contain the redactions', async () => {
      const { event } = await recorded(masking('entities: [EMAIL]'), callWith('EMAIL'));
      expect(await backtest(masking('entities: [EMAIL, IBAN]'), [storedEarlier(event)])).toMatchObject(UNKNOWN);
    });
  });
});
