import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checked, readingBody } from './schema-routes.js';
import type { WeirError } from './weir-error.js';

const BODY = z.strictObject({
  name: z.string(),
  rules: z.array(z.strictObject({ id: z.string() })).optional(),
  limits: z.record(z.string(), z.number()).optional(),
});

function details(value: unknown): { readonly path: string; readonly message: string }[] {
  try {
    checked(BODY, value);
  } catch (error) {
    return [...((error as WeirError).options.details ?? [])];
  }
  throw new Error('was accepted');
}

describe('A refused body of a management route', () => {
  it('is answered with one entry for each unknown key, at every depth', () => {
    expect(details({ name: 'a', nmae: 1, other: 2, rules: [{ id: 'x' }, { id: 'y', extra: 3 }] })).toEqual([
      { path: 'rules[1].extra', message: 'is unknown' },
      { path: 'nmae', message: 'is unknown' },
      { path: 'other', message: 'is unknown' },
    ]);
  });

  it('is answered with paths as in the errors of events', () => {
    expect(details({ name: 'a', rules: [{ id: 1 }], limits: { daily: 'x' } }).map(({ path }) => path)).toEqual([
      'rules[0].id',
      'limits.daily',
    ]);
  });

  it('never has a key repeated that may be a credential', () => {
    const key = 'ghp' + '_x7Kq2mZt9LwYb4RfNs8VcD1hJ6gP3uEaQ0iT';
    expect(details({ name: 'a', [key]: 1, limits: { [key]: 'x' } }).map(({ path }) => path)).toEqual([
      'limits.(a key)',
      '(a key)',
    ]);
  });

  it('has at most 20 entries, however many fields are wrong', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (wrong, unknown) => {
        const rules = Array.from({ length: wrong }, () => ({ id: 1 }));
        const keys = Object.fromEntries(Array.from({ length: unknown }, (_, index) => [`key_${index}`, 1]));
        expect(details({ rules, ...keys })).toHaveLength(Math.min(20, wrong + unknown + 1));
      }),
    );
  });
});

describe('A large body', () => {
  it('is read in steps, between which other requests are served', () => {
    const body = { name: 'a', rules: Array.from({ length: 5_000 }, (_, index) => ({ id: `rule ${index}` })) };
    const headers = { 'content-type': 'application/json' };
    const steps = readingBody(BODY, { headers, body: Buffer.from(JSON.stringify(body)) } as unknown as FastifyRequest);
    let stops = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stops += 1;
    expect(step.value).toEqual(body);
    expect(stops).toBeGreaterThan(10);
  });
});
