import { readFileSync } from 'node:fs';

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

describe('The OpenAPI document', () => {
  const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );

  it('says for every route what a good answer looks like', () => {
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

  it('lists the routes of the proxy beside those of the service, each operation once', () => {
    for (const path of ['/proxy/openai/v1/chat/completions', '/proxy/anthropic/v1/messages', '/v1/events/export']) {
      expect(Object.keys(paths)).toContain(path);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
