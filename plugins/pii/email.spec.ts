import { streamedFindings } from '../../test/support/streamed-findings.js';
import { pii } from './pii.js';

const EMAIL = new Set(['EMAIL'] as const);
const scan = pii.create(pii.meta.options.parse({}), { codes: EMAIL });
const found = (text: string): string[] => scan(text).map(({ start, end }) => text.slice(start, end));

const TEXTS: readonly (readonly [text: string, address: string])[] = [
  ['hong@example.com으로 보내 주세요', 'hong@example.com'],
  ['제 메일은hong@example.com입니다', 'hong@example.com'],
  ['发到zhang@example.com谢谢', 'zhang@example.com'],
  ['发到zhang@example.com谢谢.下次', 'zhang@example.com'],
  ['我的邮箱是zhang@qq.com', 'zhang@qq.com'],
  ['我的邮箱是123456@qq.com，谢谢', '123456@qq.com'],
  ['tanaka@example.co.jpに送って', 'tanaka@example.co.jp'],
  ['メールはtanaka.taro+x@example.co.jpです', 'tanaka.taro+x@example.co.jp'],
  ['somchai@example.comครับ', 'somchai@example.com'],
  ['ส่งไปที่somchai@example.co.thครับ', 'somchai@example.co.th'],
  ['пиши на ivan@example.orgи жди', 'ivan@example.org'],
  ['用户@例子.中国', '用户@例子.中国'],
  ['用户1@例子.中国', '用户1@例子.中国'],
  ['hong@예시.한국', 'hong@예시.한국'],
  ['kim@example.한국', 'kim@example.한국'],
  ['josé@example.org', 'josé@example.org'],
];

const NOT_ADDRESSES = ['名字@谢谢', 'name@谢谢', '我@com谢谢', '请看 @example.com谢谢'];

/** Addresses whose `@` is a word in brackets; behind a space, the finding begins with the bracket. */
const SPELLED: readonly (readonly [text: string, found: string])[] = [
  ['write to ann.lee(at)example.org today', 'ann.lee(at)example.org'],
  ['write to ann[at]example[dot]co[dot]uk today', 'ann[at]example[dot]co[dot]uk'],
  ['write to ann{@}example.org today', 'ann{@}example.org'],
  ['ann (at) example dot com', '(at) example dot com'],
  ['ann.lee [ at ] mail.example (dot) com.', '[ at ] mail.example (dot) com'],
  ['ANN (AT) EXAMPLE (DOT) ORG', '(AT) EXAMPLE (DOT) ORG'],
  ['ana (arroba) ejemplo punkt de', '(arroba) ejemplo punkt de'],
];

const NOT_SPELLED = [
  'Meet me (at) 5 or later.',
  'The photo (at) sunset.jpg is mine.',
  'if (at) this.name = 1;',
  'while (at) node.next',
  'read(at) entry.name(1)',
  'text[at].link',
  'We met (at) Anna and Bob dot their dog.',
];

describe('E-mail addresses', () => {
  it.each(TEXTS)('are found as a whole, without letters of the sentence around them: %s', (text, address) => {
    expect(found(text)).toEqual([address]);
    expect(found(`(${text})`)).toEqual([address]);
  });

  it.each(TEXTS)('are the same in a text that arrives character by character: %s', (text) => {
    const stream = scan.stream?.({}, EMAIL);
    if (stream === undefined) throw new Error('the detector has no stream');
    const whole = scan(text);
    expect(streamedFindings(stream, [...text, ' ', 'z'], whole)).toEqual({ released: whole, isEarly: false });
  });

  it.each(NOT_ADDRESSES)('need a local part, and a domain with a public suffix: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each(SPELLED)('are found if their sign is a word in brackets: %s', (text, address) => {
    expect(found(text)).toEqual([address]);
    const stream = scan.stream?.({}, EMAIL);
    if (stream === undefined) throw new Error('the detector has no stream');
    const whole = scan(`${text} z`);
    expect(streamedFindings(stream, [...text, ' ', 'z'], whole)).toEqual({ released: whole, isEarly: false });
  });

  it.each(NOT_SPELLED)('are no code and no sentence with such a word: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});
