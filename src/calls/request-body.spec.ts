import { parseJson } from '../core/index.js';
import type { AdmittedCall } from './proxied-call.js';
import { changedBody, requestBody } from './request-body.js';

const TEXT = '{"messages" : [{"role":"user","content":"hello"}]}';
const PLAIN = Buffer.from(TEXT);

/** An admitted call in which nothing has to change. */
const callWith = (body: Pick<AdmittedCall, 'doc' | 'plainBody'>): AdmittedCall =>
  ({
    request: { segments: [] },
    judgement: { edits: [], restorable: new Map() },
    policy: { policy: {} },
    hold: {},
    ...body,
  }) as unknown as AdmittedCall;

describe('the body with which a request is forwarded', () => {
  it.each<[string, Pick<AdmittedCall, 'doc' | 'plainBody'>]>([
    ['a text', { doc: parseJson(TEXT), plainBody: PLAIN }],
    ['bytes that no rule can change', { plainBody: PLAIN }],
  ])('is the content that was judged if the client sent %s in a content coding', async (_what, body) => {
    expect((await requestBody(callWith(body), 'never')).changed).toBe(PLAIN);
  });

  it('is that of the client if it came without a content coding and nothing changes', async () => {
    expect(await requestBody(callWith({ doc: parseJson(TEXT) }), 'never')).toEqual({ askedForUsage: false });
  });

  it('is the content with the changes if something changes', async () => {
    const start = TEXT.indexOf('hello');
    const edits = [{ start, end: start + 5, replacement: '[NAME]' }];
    const changed = await changedBody({ doc: parseJson(TEXT), plainBody: PLAIN }, edits);
    expect(changed.toString()).toBe(TEXT.replace('hello', '[NAME]'));
  });
});
