import { CATALOG } from '../../authoring/policy-test/testdata/catalog.js';
import { compilePolicy } from './compile-policy.js';

describe('the entities of a redact rule', () => {
  const compile = (entities: string) => {
    const rule = `{ id: a.b, stage: pre, when: { pii.count: { gt: 0 } }, then: { action: redact, redact: { entities: ${entities} } }, on_unknown: match }`;
    const text = `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: p, owner: o }\nenvironment: staging\ndefault: allow\ndetectors: { pii: { plugin: pii } }\nlists: { contact: [EMAIL, PHONE], odd: [EMIAL] }\nrules:\n  - ${rule}\n`;
    return compilePolicy({ environment: 'staging', files: [{ path: 'p.yaml', text }], plugins: CATALOG });
  };
  const targets = (codes: string[]) => codes.map((code) => ({ detector: 'pii', code }));

  it('are written in the rule or taken from a list', () => {
    expect(compile('[IBAN]').policy?.rules[0]?.redact?.targets).toEqual(targets(['IBAN']));
    expect(compile('$lists.contact').policy?.rules[0]?.redact?.targets).toEqual(targets(['EMAIL', 'PHONE']));
  });

  it.each([
    ['$lists.contacts', 'G105', 'did you mean "$lists.contact"?'],
    ['$lists.odd', 'G124', 'did you mean "EMAIL"?'],
    ['contact', 'G007', undefined],
  ])('are refused if they are %s', (entities, code, hint) => {
    const { problems } = compile(entities);
    expect(problems).toEqual([expect.objectContaining({ code, line: 9, ...(hint === undefined ? {} : { hint }) })]);
  });
});
