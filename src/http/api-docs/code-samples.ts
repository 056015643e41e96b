/** Examples of each operation in curl, Node.js and Python. They need no additional package. */
import type { OpenAPIObject } from '@nestjs/swagger';
import { sampleOf, type SampleValue, type Schemas } from './sample-body.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The request of a sample, independent of the language. */
interface Call {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly headers: readonly Header[];
  readonly body?: SampleValue;
}

/** A header whose value may end with the value of an environment variable. */
interface Header {
  readonly name: string;
  readonly before: string;
  readonly variable?: string;
}

/** The header of each kind of authentication. */
const CREDENTIALS: Readonly<Record<string, Header>> = {
  service_key: { name: 'Authorization', before: 'Bearer ', variable: 'WEIR_API_KEY' },
  proxy_key: { name: 'X-Service-Key', before: '', variable: 'WEIR_API_KEY' },
  management_token: { name: 'Authorization', before: 'Bearer ', variable: 'WEIR_TOKEN' },
  session: { name: 'Cookie', before: '__Host-weir_session=', variable: 'WEIR_SESSION' },
  stripe_signature: { name: 'Stripe-Signature', before: '', variable: 'STRIPE_SIGNATURE' },
};

/** The credential of a provider, sent in addition to the key of the app. */
const PROVIDER_CREDENTIALS: readonly { readonly path: string; readonly header: Header }[] = [
  { path: '/proxy/openai/', header: { name: 'Authorization', before: 'Bearer ', variable: 'OPENAI_API_KEY' } },
  { path: '/proxy/anthropic/', header: { name: 'x-api-key', before: '', variable: 'ANTHROPIC_API_KEY' } },
  { path: '/proxy/gemini/', header: { name: 'x-goog-api-key', before: '', variable: 'GEMINI_API_KEY' } },
];

/** The document with samples for each operation, in the form that OpenAPI renderers support. */
export function withCodeSamples(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      return [[method, { ...operation, 'x-codeSamples': samplesOf(method, path, operation, schemas) }] as const];
    });
    return [path, { ...item, ...Object.fromEntries(operations) }] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function samplesOf(method: string, path: string, operation: Operation, schemas: Schemas): object[] {
  const call = callOf(method, path, operation, schemas);
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(call) },
    { lang: 'JavaScript', label: 'Node.js', source: nodeOf(call) },
    { lang: 'Python', label: 'Python', source: pythonOf(call) },
  ];
}

function callOf(method: string, path: string, operation: Operation, schemas: Schemas): Call {
  const { parameters = [], requestBody, security = [] } = operation;
  const query = parameters.flatMap((each) =>
    'name' in each && each.in === 'query' && each.required === true
      ? [`${each.name}=${encodeURIComponent(shown(sampleOf(each.schema ?? {}, schemas)))}`]
      : [],
  );
  const way = security.flatMap((each) => Object.keys(each))[0];
  const provider = PROVIDER_CREDENTIALS.find((each) => path.startsWith(each.path))?.header;
  const content = requestBody !== undefined && 'content' in requestBody ? requestBody.content : {};
  const schema = content['application/json']?.schema;
  return {
    method: method.toUpperCase(),
    address: `${path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    headers: [
      ...(way === undefined || CREDENTIALS[way] === undefined ? [] : [CREDENTIALS[way]]),
      ...(provider === undefined ? [] : [provider]),
      ...(schema === undefined ? [] : [{ name: 'Content-Type', before: 'application/json' }]),
    ],
    ...(schema === undefined ? {} : { body: bodyOf(path, sampleOf(schema, schemas)) }),
  };
}

/** The body of a sample. Providers' bodies have no schema here, so the shortest valid body of each is used. */
function bodyOf(path: string, sample: SampleValue): SampleValue {
  const hello = 'Hello';
  if (path.startsWith('/proxy/gemini/')) return { contents: [{ role: 'user', parts: [{ text: hello }] }] };
  if (path.endsWith('/responses') || path.endsWith('/embeddings')) return { model: 'gpt-4o', input: hello };
  if (path.endsWith('/v1/completions')) return { model: 'gpt-4o', prompt: hello };
  const messages = [{ role: 'user', content: hello }];
  if (path.startsWith('/proxy/openai/')) return { model: 'gpt-4o', messages };
  if (path.startsWith('/proxy/anthropic/')) return { model: 'claude-sonnet-5-5', max_tokens: 100, messages };
  return sample;
}

function shown(value: SampleValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function curlOf({ method, address, headers, body }: Call): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$WEIR_URL${address}"`,
    ...headers.map(({ name, before, variable }) => {
      return `  -H "${name}: ${before}${variable === undefined ? '' : `$${variable}`}"`;
    }),
    ...(body === undefined ? [] : [`  -d '${JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n');
}

function nodeOf({ method, address, headers, body }: Call): string {
  const written = headers.map(({ name, before, variable }) => {
    const value = variable === undefined ? `'${before}'` : `\`${before}\${process.env.${variable}}\``;
    return `    '${name}': ${value},\n`;
  });
  return [
    `const response = await fetch(\`\${process.env.WEIR_URL}${address}\`, {`,
    `  method: '${method}',`,
    ...(written.length === 0 ? [] : [`  headers: {\n${written.join('')}  },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, undefined, 2), '  ')}),`]),
    `});`,
    `console.log(response.status, await response.text());`,
  ].join('\n');
}

function pythonOf({ method, address, headers, body }: Call): string {
  const written = headers.map(({ name, before, variable }) => {
    const value = variable === undefined ? `"${before}"` : `"${before}" + os.environ["${variable}"]`;
    return `        "${name}": ${value},\n`;
  });
  return [
    ...(body === undefined ? [] : ['import json']),
    'import os',
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    os.environ["WEIR_URL"] + "${address}",`,
    `    method="${method}",`,
    ...(written.length === 0 ? [] : [`    headers={\n${written.join('')}    },`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonValue(body, ''), '    ')}).encode(),`]),
    ')',
    'with urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}

/** A value as a Python literal. */
function pythonValue(value: SampleValue, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? (value as readonly SampleValue[]).map((each) => `${inner}${pythonValue(each, inner)}`)
    : Object.entries(value).map(([key, each]) => `${inner}${JSON.stringify(key)}: ${pythonValue(each, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function indented(value: string, by: string): string {
  return value.replaceAll('\n', `\n${by}`);
}
