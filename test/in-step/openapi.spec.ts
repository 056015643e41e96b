import { readFileSync } from 'node:fs';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: object;
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

describe('The OpenAPI document', () => {
  const { paths, components } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object>; securitySchemes: Record<string, { bearerFormat?: string }> };
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );

  it('has a schema of the successful responses of every route', () => {
    const without = operations.filter(({ operation }) =>
      Object.entries(operation.responses).some(
        ([status, { content }]) =>
          status.startsWith('2') &&
          status !== '204' &&
          Object.values(content ?? {}).every(({ schema }) => schema === undefined),
      ),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('describes every query parameter by more than the type string', () => {
    const says = new Set([
      'enum',
      'format',
      'pattern',
      'minLength',
      'maxLength',
      'minimum',
      'maximum',
      'items',
      '$ref',
    ]);
    const asked = operations.flatMap(({ name, operation: { parameters = [] } }) =>
      parameters.filter((each) => each.in === 'query').map((each) => ({ ...each, name: `${name} ${each.name}` })),
    );
    expect(asked.length).toBeGreaterThan(100);
    const plain = asked.filter(
      ({ schema }) =>
        (schema as { type?: string }).type !== 'boolean' && !Object.keys(schema).some((key) => says.has(key)),
    );
    expect(plain.map(({ name }) => name)).toEqual([]);
  });

  it('has 402 only on routes that take calls, because an account without a subscription is still managed', () => {
    const refused = operations.filter(({ operation }) => '402' in operation.responses).map(({ name }) => name);
    expect(refused.filter((name) => !name.includes(' /proxy/')).sort()).toEqual([
      'post /v1/calls/{provider}/{path}',
      'post /v1/events',
    ]);
  });

  /** The names of all properties in a schema, with those of the schemas to which it refers. */
  const namesIn = (schema: unknown, seen = new Set<string>()): string[] => {
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
      if (key === '$ref' && typeof value === 'string') {
        if (seen.has(value)) return [];
        seen.add(value);
        return namesIn(components.schemas[value.replace('#/components/schemas/', '')], seen);
      }
      const names = key === 'properties' && typeof value === 'object' && value !== null ? Object.keys(value) : [];
      return [...names, ...namesIn(value, seen)];
    });
  };

  it('has no route that changes the retention: it is part of the policy, and a deployment replaces the whole policy', () => {
    const changing = operations
      .filter(({ name }) => !name.startsWith('get '))
      .map(({ name, operation: { parameters = [], requestBody = {} } }) => ({
        name,
        inputs: [name, ...parameters.map((each) => each.name), ...namesIn(requestBody)],
      }));
    expect(changing.find(({ name }) => name.endsWith('{environment}/deployments'))?.inputs).toEqual(
      expect.arrayContaining(['bundle', 'files', 'text']),
    );
    const about = /retention|content_days|records_days|\bholds?\b/i;
    expect(changing.filter(({ inputs }) => inputs.some((input) => about.test(input)))).toEqual([]);
  });

  it('does not describe keys and tokens as JSON Web Tokens', () => {
    const formats = Object.entries(components.securitySchemes).map(([name, { bearerFormat }]) => [name, bearerFormat]);
    expect(Object.fromEntries(formats)).toMatchObject({ service_key: 'Weir key', management_token: 'Weir token' });
  });

  it('lists the routes of the proxy and of the service, each operation once', () => {
    for (const path of ['/proxy/openai/v1/chat/completions', '/proxy/anthropic/v1/messages', '/v1/events/export']) {
      expect(Object.keys(paths)).toContain(path);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
