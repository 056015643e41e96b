import fc from 'fast-check';
import { decodeRequest, parseJson, splice, type Segment } from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { JudgementService, UNSCANNED } from './judgement.service.js';
import { ScanCache } from './scan-cache.js';
import {
  SECRET_WORD,
  NAME_WORD,
  answer,
  context,
  harmlessCall,
  policy,
  request,
  service,
  shellCall,
} from './testdata/worked-calls.js';

describe('Judging a call', () => {
  const base = {
    policy: policy(),
    accountId: 'account-1',
    context,
    kind: 'request',
    enforceable: true,
    monitorRequested: false,
  } as const;

  it('allows a call in which nothing was found', async () => {
    const judged = await service.judge({ ...base, call: request('good morning').call });
    expect(judged).toMatchObject({ action: 'allow', violations: [], edits: [], unavailable: false });
  });

  it('redacts the entities that a rule names and reports their number, without the text', async () => {
    const { doc, call } = request('first', `dear ${NAME_WORD}, dear ${NAME_WORD}`);
    const judged = await service.judge({ ...base, call });
    expect(judged.action).toBe('redact');
    expect(judged.redactions).toEqual([{ type: 'contains_name', count: 2 }]);
    expect(judged.violations).toMatchObject([
      { rule: 'words.redact-name', enforced: true, locations: ['messages[1].content'], count: 2, detector: 'words' },
    ]);
    expect(splice(doc, call.segments, judged.edits)).toContain('"dear [NAME_1], dear [NAME_1]"');
    expect(JSON.stringify(judged.violations)).not.toContain(NAME_WORD);
  });

  it('blocks a finding in signed thinking that would have to be masked, and only reports it in a monitoring policy', async () => {
    const thinking = { type: 'thinking', thinking: `dear ${NAME_WORD}`, signature: 'EqQBCgIYAhIM' };
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [thinking, { type: 'text', text: 'hello' }] },
      { role: 'user', content: 'go on' },
    ];
    const call = decodeRequest('anthropic.messages', parseJson(JSON.stringify({ messages })));
    const locations = ['messages[1].content[0].thinking'];
    const judged = await service.judge({ ...base, call });
    expect(judged).toMatchObject({
      action: 'block',
      reason: 'content_policy_violation',
      edits: [],
      unavailable: false,
    });
    expect(judged.violations).toMatchObject([
      { rule: 'words.redact-name', action: 'block', enforced: true, locations },
    ]);
    const watched = await service.judge({ ...base, policy: policy({ mode: 'monitor' }), call });
    expect(watched).toMatchObject({ action: 'allow', edits: [] });
    expect(watched.violations).toMatchObject([{ rule: 'words.redact-name', enforced: false, locations }]);
  });

  it('forwards a finding that cannot be masked, and reports it as not enforced, if the policy allows that', async () => {
    const thinking = { type: 'thinking', thinking: `dear ${NAME_WORD}`, signature: 'EqQBCgIYAhIM' };
    const messages = [
      { role: 'user', content: `hello ${NAME_WORD}` },
      { role: 'assistant', content: [thinking, { type: 'text', text: 'hello' }] },
      { role: 'user', content: 'go on' },
    ];
    const signed = decodeRequest('anthropic.messages', parseJson(JSON.stringify({ messages })));
    const place = 'messages[0].content > page 1';
    const page: Segment = { path: place, role: 'user', text: NAME_WORD, ref: -1, fixed: true, document: true };
    const plain = request('hello');
    const document = { ...plain.call, segments: [...plain.call.segments, page] };
    const flagging = (what: string): ActivePolicy =>
      policy({ head: `client_monitor_mode: ignore\nunmaskable: { ${what}: flag }` });

    expect(await service.judge({ ...base, call: document })).toMatchObject({ action: 'block', unavailable: false });
    const passed = await service.judge({ ...base, policy: flagging('documents'), call: document });
    expect(passed).toMatchObject({ action: 'allow', edits: [], redactions: [] });
    expect(passed.violations).toMatchObject([
      { rule: 'words.redact-name', action: 'redact', enforced: false, locations: [place], count: 1 },
    ]);
    expect(await service.judge({ ...base, policy: flagging('signed'), call: document })).toMatchObject({
      action: 'block',
    });

    const partly = await service.judge({ ...base, policy: flagging('signed'), call: signed });
    expect(partly).toMatchObject({ action: 'redact', redactions: [{ count: 1 }] });
    expect(partly.edits.map(({ segment }) => signed.segments[segment]!.path)).toEqual(['messages[0].content']);
    expect(partly.violations).toMatchObject([
      { enforced: true, locations: ['messages[0].content'], count: 1 },
      { enforced: false, locations: ['messages[1].content[0].thinking'], count: 1 },
    ]);
  });

  it('blocks with the reason of the rule, and names the path of the finding', async () => {
    const judged = await service.judge({ ...base, call: request(`it is ${SECRET_WORD}`).call });
    expect(judged).toMatchObject({ action: 'block', reason: 'content_policy_violation', unavailable: false });
    expect(judged.violations).toMatchObject([
      { rule: 'words.block-secret', locations: ['messages[0].content'], count: 1 },
    ]);
  });

  it('refuses as an outage, not as a violation, when the detector failed', async () => {
    const judged = await service.judge({ ...base, call: request('faulty text').call });
    expect(judged).toMatchObject({ action: 'block', unavailable: true, missing: ['words'], violations: [] });
    expect(judged.reason).toBeUndefined();
  });

  it('reports findings, but lets everything through, under a monitoring policy', async () => {
    const judged = await service.judge({
      ...base,
      policy: policy({ mode: 'monitor' }),
      call: request(`${SECRET_WORD} ${NAME_WORD}`).call,
    });
    expect(judged).toMatchObject({ action: 'allow', edits: [] });
    expect(judged.violations.map(({ rule, enforced }) => [rule, enforced])).toEqual([
      ['words.block-secret', false],
      ['words.redact-name', false],
    ]);
  });

  it('honours the monitor mode that a caller requests only if the policy allows it', async () => {
    const { call } = request(SECRET_WORD);
    const ignored = await service.judge({ ...base, call, monitorRequested: true });
    expect(ignored).toMatchObject({ action: 'block', monitorIgnored: true });
    const honoured = await service.judge({
      ...base,
      policy: policy({ head: 'client_monitor_mode: honor' }),
      call,
      monitorRequested: true,
    });
    expect(honoured).toMatchObject({ action: 'allow', monitorIgnored: false });
    expect(honoured.violations).toMatchObject([{ rule: 'words.block-secret', enforced: false }]);
  });

  it('does not judge past tool calls of a conversation again, but judges each new one', async () => {
    const doc = parseJson(
      JSON.stringify({
        messages: [
          { role: 'assistant', tool_calls: [shellCall] },
          { role: 'tool', tool_call_id: 'c1', content: 'done' },
        ],
      }),
    );
    const later = await service.judge({ ...base, call: decodeRequest('openai.chat', doc) });
    expect(later).toMatchObject({ action: 'allow', violations: [] });

    const { call } = answer({ tool_calls: [harmlessCall, shellCall] });
    const fresh = await service.judge({ ...base, kind: 'answer', call });
    expect(fresh).toMatchObject({ action: 'block', reason: 'tool_use_blocked' });
    expect(fresh.violations).toHaveLength(1);
    expect(fresh.violations[0]).toMatchObject({ rule: 'tool.block-shell', category: 'tool_use' });
    expect(fresh.violations[0]!.locations![0]).toMatch(/^choices\[0\]\.message\.tool_calls\[1\]/);
  });

  it('reports violations in an answer that can no longer be changed, but enforces nothing', async () => {
    const { call } = answer({ content: `it is ${SECRET_WORD}`, tool_calls: [shellCall] });
    const judged = await service.judge({ ...base, kind: 'answer', call, enforceable: false });
    expect(judged).toMatchObject({ action: 'allow', edits: [], unavailable: false });
    expect(judged.violations.map(({ rule, enforced }) => [rule, enforced])).toEqual([
      ['tool.block-shell', false],
      ['words.redact-answer', false],
    ]);
  });
});

describe('The stored form of a call', () => {
  const base = {
    accountId: 'account-1',
    context,
    kind: 'request',
    enforceable: true,
    monitorRequested: false,
  } as const;

  it('has every finding masked, whatever the rules decided', async () => {
    const monitoring = policy({ mode: 'monitor' });
    const { doc, call } = request(`${SECRET_WORD} and ${NAME_WORD}`);
    const judged = await service.judge({ ...base, policy: monitoring, call });
    const stored = splice(doc, call.segments, await service.maskJudged(monitoring, call.segments, judged));
    expect(stored).toContain('[SECRET] and [NAME]');
  });

  it('is withheld completely when a detector failed', async () => {
    const active = policy();
    const { doc, call } = request(`hello ${SECRET_WORD}`, 'faulty');
    const judged = await service.judge({ ...base, policy: active, call });
    const stored = splice(doc, call.segments, await service.maskJudged(active, call.segments, judged));
    expect(stored).not.toContain(SECRET_WORD);
    expect(stored).not.toContain('hello');
  });

  it('is left as received if the policy stores full content', async () => {
    const active = policy({ head: 'content: full\nclient_monitor_mode: ignore' });
    const { call } = request(SECRET_WORD);
    const judged = await service.judge({ ...base, policy: active, call });
    await expect(service.maskJudged(active, call.segments, judged)).resolves.toEqual([]);
  });

  it('includes a fact snapshot without any text, metadata value or argument', async () => {
    const active = policy();
    const { call } = answer({
      content: `prose about ${SECRET_WORD}`,
      tool_calls: [{ ...harmlessCall, function: { name: 'search', arguments: '{"q":"needle in prose"}' } }],
    });
    const judged = await service.judge({ ...base, kind: 'answer', policy: active, call });
    for (const text of [SECRET_WORD, 'prose', 'needle']) expect(judged.snapshot).not.toContain(text);
    expect(JSON.parse(judged.snapshot)).toMatchObject({
      v: 2,
      stages: [
        { stage: 'post', facts: { words: { types: ['SECRET'], count: 1 } } },
        { stage: 'tool', facts: { tool: { name: 'search' } } },
      ],
      findings: [{ detector: 'words', code: 'SECRET', path: 'choices[0].message.content', start: 12, end: 20 }],
    });
  });

  it('includes a fact snapshot that is JSON as JSON.stringify writes it, whatever is found in a call', async () => {
    const active = policy({ head: 'client_monitor_mode: honor' });
    for (const text of ['hello', `${NAME_WORD} "quoted" and ${SECRET_WORD}`]) {
      const judged = await service.judge({ ...base, policy: active, call: request(text).call, monitorRequested: true });
      expect(judged.snapshot).toBe(JSON.stringify(JSON.parse(judged.snapshot)));
      expect(JSON.parse(judged.snapshot)).toMatchObject({ client_monitor: true, texts: { count: 1 } });
    }
  });
});

describe('Texts that repeat in every call of an app', () => {
  const accountId = 'account-1';
  const note = (text: string): Segment => ({ path: 'metadata.note', role: 'metadata', text, ref: 0, key: 'note' });

  function watched() {
    const active = policy();
    const scanned: string[] = [];
    const detectors = active.detectors.map((detector) => ({
      ...detector,
      scan: (...[text, ...rest]: Parameters<typeof detector.scan>) => {
        scanned.push(text);
        return detector.scan(text, ...rest);
      },
    }));
    let timings = 0;
    const clock = { nowMs: () => 0, monotonicMs: () => 0, workMs: () => timings++ * 0 };
    const judging = new JudgementService(clock, undefined, undefined, new ScanCache(1_000_000));
    return { active: { ...active, detectors }, scanned, judging, timings: () => timings };
  }

  it('are scanned once for each app, and masked each time', async () => {
    const { active, scanned, judging } = watched();
    const notes = [note(`by ${NAME_WORD}`), note('plain')];
    for (const comesAgainIn of ['app-1', 'app-1', 'app-2', 'app-1']) {
      const masks = await judging.maskTexts(active, notes, { accountId, comesAgainIn });
      expect(masks).toMatchObject([{ segment: 0, start: 3, end: 3 + NAME_WORD.length }]);
    }
    expect(scanned).toEqual([`by ${NAME_WORD}`, 'plain', `by ${NAME_WORD}`, 'plain']);
    await judging.maskTexts({ ...active, digest: 'e'.repeat(64) }, notes, { accountId, comesAgainIn: 'app-1' });
    expect(scanned).toHaveLength(6);
  });

  it('are looked up together once nothing was found in them, until a text, a key, the app or the policy differs', async () => {
    const { active, scanned, judging, timings } = watched();
    const scansOf = async (notes: readonly Segment[], by = active, comesAgainIn = 'app-1'): Promise<number> => {
      scanned.length = 0;
      expect(await judging.maskTexts(by, notes, { accountId, comesAgainIn })).toEqual([]);
      return scanned.length;
    };
    const both = [note('plain'), note('fine')];
    expect(await scansOf(both)).toBe(2);
    const before = timings();
    expect(await scansOf(both)).toBe(0);
    // No scan has begun, as a scan reads the clock.
    expect(timings()).toBe(before);
    expect(await scansOf([...both, note('more')])).toBe(1);
    expect(await scansOf([note('plain'), { ...note('fine'), key: 'other' }])).toBe(1);
    expect(await scansOf([note('plain'), { ...note('fine'), role: 'user' }])).toBe(1);
    expect(await scansOf(both, active, 'app-2')).toBe(2);
    expect(await scansOf(both, { ...active, digest: 'e'.repeat(64) })).toBe(2);
  });

  it('are masked like texts that are scanned in each call, whatever was scanned before', async () => {
    const { active, judging } = watched();
    const withoutCache = new JudgementService({ nowMs: () => 0, monotonicMs: () => 0 });
    const text = fc.constantFrom('plain', 'fine', '', `by ${NAME_WORD}`, 'faulty');
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), async (texts) => {
        const notes = texts.map((each) => note(each));
        const whose = { accountId, comesAgainIn: 'app-1' };
        const masks = await withoutCache.maskTexts(active, notes, whose);
        for (let time = 0; time < 2; time++) expect(await judging.maskTexts(active, notes, whose)).toEqual(masks);
      }),
    );
  });

  it('are scanned again when they are not declared as repeating, and when a detector failed', async () => {
    const { active, scanned, judging } = watched();
    for (let time = 0; time < 2; time += 1) await judging.maskTexts(active, [note('plain')], { accountId });
    expect(scanned).toEqual(['plain', 'plain']);
    for (let time = 0; time < 2; time += 1) {
      const masks = await judging.maskTexts(active, [note('faulty')], { accountId, comesAgainIn: 'app-1' });
      expect(masks).toMatchObject([{ replacement: UNSCANNED }]);
    }
    expect(scanned).toEqual(['plain', 'plain', 'faulty', 'faulty']);
  });
});

describe('A call with very many findings', () => {
  const texts = fc.array(fc.constantFrom(SECRET_WORD, NAME_WORD, 'plain', '\n', '"', '\u{1f600}'), {
    maxLength: 700,
    size: 'max',
  });

  it('is judged the same whether or not other work runs between its steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 3 }), async (contents) => {
        const messages = contents.map((words) => ({ role: 'user', content: words.join(' ') }));
        const doc = parseJson(JSON.stringify({ messages }));
        const call = decodeRequest('openai.chat', doc);
        const active = policy({ mode: 'enforce' });
        const judgedBy = async (stepMs: number) => {
          let now = 0;
          const clock = { nowMs: () => 0, monotonicMs: () => (now += stepMs), workMs: () => 0 };
          const judging = new JudgementService(clock);
          const judgement = await judging.judge({
            policy: active,
            accountId: 'account',
            context,
            call,
            kind: 'request',
            enforceable: true,
            monitorRequested: false,
          });
          const masks = await judging.maskJudged(active, call.segments, judgement);
          return { ...judgement, tookMs: 0, masks };
        };
        expect(await judgedBy(1_000)).toEqual(await judgedBy(0));
      }),
      { numRuns: 30 },
    );
  });

  it('yields to other work while it is judged', async () => {
    const doc = parseJson(JSON.stringify({ messages: [{ role: 'user', content: `${NAME_WORD} `.repeat(20_000) }] }));
    const call = decodeRequest('openai.chat', doc);
    let [now, turns] = [0, 0];
    const judging = new JudgementService({ nowMs: () => 0, monotonicMs: () => (now += 1), workMs: () => 0 });
    let done = false;
    const others = (): void => {
      turns++;
      if (!done) setImmediate(others);
    };
    setImmediate(others);
    const judgement = await judging.judge({
      policy: policy(),
      accountId: 'account',
      context,
      call,
      kind: 'request',
      enforceable: true,
      monitorRequested: false,
    });
    done = true;
    expect(judgement.edits).toHaveLength(20_000);
    // 256 findings are processed between two readings of the clock, which advances by a millisecond at each reading.
    expect(turns).toBeGreaterThan(20_000 / 256);
  });
});
