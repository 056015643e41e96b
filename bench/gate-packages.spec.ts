import { differingPackages } from './gate-packages.js';

const lock = (packages: Readonly<Record<string, { readonly version?: string }>>): string =>
  JSON.stringify({ packages });

describe('The packages that differ between two lock files', () => {
  const before = lock({
    '': { version: '1.0.0' },
    'sdk/node': { version: '1.0.0' },
    'node_modules/fastify': { version: '5.12.7' },
    'node_modules/gone': { version: '2.0.0' },
    'node_modules/undici': { version: '7.0.0' },
  });

  it('are none if only the version of the repository changes', () => {
    const after = JSON.parse(before) as { packages: Record<string, { version: string }> };
    after.packages[''] = { version: '1.1.0' };
    after.packages['sdk/node'] = { version: '1.1.0' };
    expect(differingPackages(before, JSON.stringify(after))).toEqual([]);
  });

  it('are named with both versions, whether they changed, appeared or were removed', () => {
    const after = lock({
      'node_modules/fastify': { version: '5.12.8' },
      'node_modules/undici': { version: '7.0.0' },
      'node_modules/fastify/node_modules/undici': { version: '6.1.0' },
    });
    expect(differingPackages(before, after)).toEqual([
      'fastify 5.12.7 → 5.12.8',
      'fastify/node_modules/undici none → 6.1.0',
      'gone 2.0.0 → none',
    ]);
  });
});
