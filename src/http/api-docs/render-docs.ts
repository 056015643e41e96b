/** The OpenAPI document and the error catalogue as one page of plain HTML: no script, nothing loaded from elsewhere. */
import { createHash } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorType } from '../../core/index.js';
import { ERROR_STATUS, retryCannotHelp } from '../error-status.js';
import { text } from '../pages/layout.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;
type SecurityScheme = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>[string];
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];
type SchemaObject = Exclude<Schema, { $ref: string }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const MAX_DEPTH = 4;

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1,h2,h3{line-height:1.2}h2{margin-top:2.5rem}h3{margin-top:2rem;font-size:1.05rem}
code,pre{font:.9em ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:6px}
table{border-collapse:collapse;width:100%;font-size:.93rem}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #8884}
.method{font-weight:700}.muted{opacity:.75}:target{outline:2px solid #48f;outline-offset:4px}`;

/** `style-src` allows exactly this style sheet; everything else is forbidden. */
export const DOCS_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderDocs(document: OpenAPIObject): string {
  const schemas = document.components?.schemas ?? {};
  const tags = document.tags ?? [];
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name) === true);
    const parts = own.map(({ path, method, operation }) => renderOperation(path, method, operation, schemas));
    return `<h2 id="${text(name)}">${text(capital(name))}</h2><p>${prose(description ?? '')}</p>${parts.join('')}`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text(document.info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${text(document.info.title)} API</h1>
<p>${prose(document.info.description ?? '')} <span class="muted">Version ${text(document.info.version)} · <a href="openapi.json">openapi.json</a></span></p>
${renderAuth(document)}${sections.join('')}${renderErrors()}
</body></html>
`;
}

function renderAuth(document: OpenAPIObject): string {
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const rows = schemes.map(([name, scheme]) => {
    const description = 'description' in scheme ? (scheme.description ?? '') : '';
    return `<tr><td><code>${text(name)}</code></td><td><code>${text(wayIn(scheme))}</code></td><td>${prose(description)}</td></tr>`;
  });
  return `<h2 id="authentication">Authentication</h2><table>${rows.join('')}</table>`;
}

/** Where a credential stands in a request. */
function wayIn(scheme: SecurityScheme): string {
  if (!('type' in scheme)) return '';
  if (scheme.type !== 'apiKey') return 'Authorization: Bearer …';
  return scheme.in === 'cookie' ? `Cookie: ${scheme.name}=…` : `${scheme.name}: …`;
}

function renderOperation(path: string, method: string, operation: Operation, schemas: Schemas): string {
  const parameters = (operation.parameters ?? []).filter((each): each is Parameter => 'name' in each);
  const body =
    operation.requestBody !== undefined && 'content' in operation.requestBody ? operation.requestBody : undefined;
  const schema = body?.content['application/json']?.schema;
  const auth = (operation.security ?? []).flatMap((each) => Object.keys(each));
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const description = response !== undefined && 'description' in response ? response.description : '';
    return `<tr><td><code>${text(status)}</code></td><td>${prose(description)}</td></tr>`;
  });
  return [
    `<h3 id="${text(operation.operationId ?? path)}"><span class="method">${method.toUpperCase()}</span> <code>${text(path)}</code></h3>`,
    `<p>${prose(operation.summary ?? '')}</p>`,
    auth.length === 0
      ? ''
      : `<p class="muted">Needs ${auth.map((name) => `<code>${text(name)}</code>`).join(' or ')}.</p>`,
    operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`,
    parameters.length === 0 ? '' : `<table>${parameters.map(renderParameter).join('')}</table>`,
    schema === undefined ? '' : renderBody(schema, schemas),
    `<table>${responses.join('')}</table>`,
  ].join('');
}

function renderParameter(parameter: Parameter): string {
  const where = `${parameter.in}${parameter.required === true ? ', required' : ''}`;
  return `<tr><td><code>${text(parameter.name)}</code></td><td class="muted">${text(where)}</td><td>${prose(parameter.description ?? '')}</td></tr>`;
}

function renderBody(schema: Schema, schemas: Schemas): string {
  const variants = '$ref' in schema ? [schema] : (schema.oneOf ?? [schema]);
  return variants
    .map((variant) => {
      const resolved = resolve(variant, schemas);
      const rows = renderFields(resolved, schemas, '', 0);
      return `<p><strong>${text(titleOf(variant, resolved))}</strong></p><table>${rows}</table>`;
    })
    .join('');
}

function renderFields(schema: SchemaObject, schemas: Schemas, prefix: string, depth: number): string {
  const isRequired = (name: string): boolean => schema.required?.includes(name) === true;
  return Object.entries(schema.properties ?? {})
    .sort(([left], [right]) => Number(isRequired(right)) - Number(isRequired(left)))
    .map(([name, property]) => {
      const resolved = resolve(property, schemas);
      const items = resolved.items === undefined ? undefined : resolve(resolved.items, schemas);
      const path = `${prefix}${name}${items === undefined ? '' : '[]'}`;
      const required = isRequired(name) ? ', required' : '';
      const row = `<tr><td><code>${text(path)}</code></td><td class="muted">${text(typeName(resolved) + required)}</td><td>${prose(descriptionOf(property, resolved))}</td></tr>`;
      const nested = items ?? resolved;
      return row + (depth < MAX_DEPTH ? renderFields(nested, schemas, `${path}.`, depth + 1) : '');
    })
    .join('');
}

/** A reference is followed; so is the `allOf` of one that OpenAPI 3.0 needs to put a description beside it. */
function resolve(schema: Schema, schemas: Schemas): SchemaObject {
  if ('$ref' in schema) return resolve(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  const [only] = schema.allOf ?? [];
  return only === undefined ? schema : { ...resolve(only, schemas), ...schema };
}

function titleOf(variant: Schema, resolved: SchemaObject): string {
  const type = resolved.properties?.['type'];
  const fixed: unknown = type !== undefined && 'enum' in type ? type.enum?.[0] : undefined;
  return typeof fixed === 'string' ? fixed : '$ref' in variant ? (variant.$ref.split('/').at(-1) ?? '') : 'Body';
}

function typeName(schema: SchemaObject): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.oneOf !== undefined)
    return schema.oneOf.map((each) => ('$ref' in each ? 'object' : typeName(each))).join(' | ');
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function descriptionOf(property: Schema, resolved: SchemaObject): string {
  return ('description' in property ? property.description : undefined) ?? resolved.description ?? '';
}

/** Statuses of what may have passed by the next attempt. */
const MAY_PASS: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);

function renderErrors(): string {
  const rows = (Object.keys(ERROR_CATALOGUE) as ErrorType[]).map((type) => {
    const { title, hint } = ERROR_CATALOGUE[type];
    const retry = !retryCannotHelp(type) && MAY_PASS.has(ERROR_STATUS[type]) ? 'yes' : 'no';
    return `<tr id="error-${type}"><td>${ERROR_STATUS[type]}</td><td><code>${type}</code></td><td>${prose(title)}. ${prose(hint)}</td><td>${retry}</td></tr>`;
  });
  return `<h2 id="errors">Errors</h2>
<p>${prose('Every error is `{"error": {"type", "message", "trace_id", "details"?, "decision"?, "violations"?, "event_id"?, "docs"}}`; `trace_id` equals the `x-request-id` header. 400 means refused by a rule or a budget, and nothing else; malformed requests are 422.')}</p>
<table><tr><th>Status</th><th>Type</th><th>Meaning</th><th>Retry?</th></tr>${rows.join('')}</table>`;
}

/** Text with `code` in backticks. */
function prose(value: string): string {
  return text(value).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
