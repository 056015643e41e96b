import { packedEvent, type PackedEvent } from './packed-events.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const packed = (payload: string): PackedEvent => {
  const found = packedEvent(payload);
  if (found === undefined || found === 'unread') throw new Error('the payload contains no event');
  return found;
};
const changed = (payload: string, edit: (data: string) => string): unknown => {
  const event = packed(payload);
  return JSON.parse(event.payload!(edit(event.data)).toString());
};

describe('an event in base64', () => {
  it('is presented alone if the payload contains only padding besides it', () => {
    const payload = JSON.stringify({ bytes: base64('{"delta":"mail-7"}'), p: 'abc' });
    expect(packed(payload).data).toBe('{"delta":"mail-7"}');
    expect(changed(payload, (data) => data.replace('mail-7', 'M'))).toEqual({
      bytes: base64('{"delta":"M"}'),
      p: 'abc',
    });
  });

  it('is presented with the other members of its payload, and written back with their changes', () => {
    for (const event of ['{"delta":"mail-7"}', '{ "a": 1, "delta": "mail-7" }\n', '{}']) {
      const payload = JSON.stringify({ note: 'mail-8', bytes: base64(event), p: 'abc' });
      const data = JSON.parse(packed(payload).data) as object;
      expect(data).toEqual({ ...(JSON.parse(event) as object), around: { note: 'mail-8', bytes: '', p: 'abc' } });
      const rewritten = changed(payload, (text) => text.replaceAll('mail', 'M')) as { note: string; bytes: string };
      expect(rewritten).toMatchObject({ note: 'M-8', p: 'abc' });
      expect(JSON.parse(atob(rewritten.bytes))).toEqual(JSON.parse(event.replace('mail', 'M')));
    }
  });

  it('is presented as an event with a text if it is plain text', () => {
    for (const text of ['see "mail-7"\n', '', 'null', '[1]', '{"x":']) {
      const alone = JSON.stringify({ bytes: base64(text) });
      expect(JSON.parse(packed(alone).data)).toEqual({ text });
      expect(changed(alone, (data) => data.replace('mail-7', 'M'))).toEqual({
        bytes: base64(text.replace('mail-7', 'M')),
      });
      const beside = JSON.stringify({ bytes: base64(text), attribution: { x: 'mail-8' } });
      expect(JSON.parse(packed(beside).data)).toEqual({ text, around: { bytes: '', attribution: { x: 'mail-8' } } });
      expect(changed(beside, (data) => data.replace('mail-8', 'M'))).toEqual({
        bytes: base64(text),
        attribution: { x: 'M' },
      });
    }
  });

  it('is found if the name of its member is written with escapes', () => {
    expect(packed(`{"\\u0062ytes":"${base64('words')}"}`).data).toBe('{"text":"words"}');
  });

  it('counts as unread if its bytes are not text, or if it is not the only one', () => {
    for (const bytes of ['/w==', 'YQ', 'a b', '?']) expect(packedEvent(JSON.stringify({ bytes }))).toBe('unread');
    expect(packedEvent('{"bytes":"e30=","bytes":"e30="}')).toBe('unread');
  });

  it('is not looked for in other payloads', () => {
    for (const payload of ['{"text":"x"}', '{"bytes":7}', '["bytes"]', '{"bytes":', '{"files":[{"bytes":"e30="}]}', ''])
      expect(packedEvent(payload)).toBeUndefined();
  });

  it('is presented unchanged if it is over a limit of JSON, so that its reader refuses it', () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const event = packed(JSON.stringify({ bytes: base64(`{"x":${deep}}`), note: 'x' }));
    expect(event).toEqual({ data: `{"x":${deep}}` });
  });
});
