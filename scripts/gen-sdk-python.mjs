/**
 * Generates half of the API client in the package for Python: the types as `TypedDict`, and one class for
 * each group of operations, for threads and for event loops. `npm run gen` runs it, so that the client matches the API
 * and its generation needs no Python (ADR 0055).
 */
import { GROUPS } from '../sdk/node/src/api/groups.ts';

const NOTE = 'Made by `npm run gen` from docs/reference/openapi.json; do not edit.';
/** Operations whose bodies are a provider's own bytes; they are hand-written in `_api_calls.py`. */
const BY_HAND = new Set(['askCall', 'answerCall', 'answerCalls']);
const KEYWORDS = new Set([
  'from',
  'import',
  'global',
  'class',
  'in',
  'is',
  'not',
  'as',
  'def',
  'del',
  'pass',
  'with',
  'if',
]);
const MOST_COLUMNS = 116;

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const camel = (text) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map(capital)
    .join('');
const snake = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
const identifier = (name) => (KEYWORDS.has(snake(name)) ? `${snake(name)}_` : snake(name));
const isIdentifier = (name) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);

/** Wraps a text into lines. */
function folded(text, indent) {
  const lines = [];
  let line = '';
  for (const word of text.replaceAll('\\', '\\\\').split(/\s+/)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > MOST_COLUMNS) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => indent + each).join('\n');
}

const docstring = (text, indent) =>
  text === undefined || text === '' ? '' : `${folded(`"""${text.replaceAll('"""', "'''")}"""`, indent)}\n`;
const comment = (text, indent) => (text === undefined || text === '' ? '' : `${folded(text, `${indent}#: `)}\n`);

/** Converts schemas to types; types of objects get names and are collected so that each follows the types that it uses. */
class Types {
  constructor(schemas) {
    this.schemas = schemas;
    this.made = new Map();
  }

  /** The Python type of a schema, as text; `name` is used for a nested object. */
  of(schema, name) {
    const parts = [...new Set(this.alternatives(schema, name))];
    return parts.includes('Any') ? 'Any' : parts.join(' | ');
  }

  alternatives(schema, name) {
    const none = schema.nullable === true ? ['None'] : [];
    if (schema.$ref !== undefined) return [this.named(schema.$ref.split('/').pop()), ...none];
    const several = schema.oneOf ?? schema.anyOf;
    if (several !== undefined) {
      return [
        ...several.flatMap((each, index) => this.alternatives(each, `${name}${this.suffix(each, index)}`)),
        ...none,
      ];
    }
    if (schema.allOf !== undefined) {
      if (schema.allOf.length !== 1) throw new Error(`${name}: allOf of several schemas is not known to the generator`);
      return [...this.alternatives(schema.allOf[0], name), ...none];
    }
    if (schema.enum !== undefined) {
      const values = schema.enum.filter((each) => each !== null);
      const literal = values.map((each) => (typeof each === 'string' ? JSON.stringify(each) : this.number(each)));
      return [
        ...(literal.length > 0 ? [`Literal[${literal.join(', ')}]`] : []),
        ...(schema.enum.includes(null) ? ['None'] : none),
      ];
    }
    return [this.plain(schema, name), ...none];
  }

  number(value) {
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    return String(value);
  }

  /** A suffix that distinguishes alternatives: the value of a property with a single allowed value, or else a number. */
  suffix(schema, index) {
    const discriminator = Object.values(schema.properties ?? {}).find((each) => each.enum?.length === 1);
    return discriminator === undefined ? `${index + 1}` : camel(String(discriminator.enum[0]));
  }

  plain(schema, name) {
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'array':
        return `list[${this.of(schema.items ?? {}, `${name}Item`)}]`;
      case 'object': {
        if (Object.keys(schema.properties ?? {}).length > 0) return this.object(schema, name);
        const values = schema.additionalProperties;
        return `dict[str, ${typeof values === 'object' ? this.of(values, `${name}Value`) : 'Any'}]`;
      }
      default:
        return 'Any';
    }
  }

  named(name) {
    // `Dto` is a suffix of the service's classes that parse events; users of the client do not need it.
    const shown = name.replace(/Dto$/, '');
    if (!this.made.has(shown)) {
      const type = this.of(this.schemas[name], shown);
      if (type !== shown) this.made.set(shown, `${shown} = ${type}\n`);
    }
    return shown;
  }

  object(schema, name) {
    if (this.made.has(name)) return name;
    this.made.set(name, '');
    const required = new Set(schema.required ?? []);
    const rows = Object.entries(schema.properties).map(([key, value]) => {
      const type = this.of(value, name + camel(key));
      return { key, text: value.description, type: required.has(key) ? type : `NotRequired[${type}]` };
    });
    const about = schema.description;
    const text = rows.every(({ key }) => isIdentifier(key))
      ? `class ${name}(TypedDict):\n${docstring(about, '    ')}${about === undefined ? '' : '\n'}${rows
          .map((row) => `${comment(row.text, '    ')}    ${row.key}: ${row.type}\n`)
          .join('')}`
      : `${comment(about, '')}${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${rows
          .map(
            (row) =>
              `${comment(row.text, '        ')}        ${JSON.stringify(row.key)}: ${JSON.stringify(row.type)},\n`,
          )
          .join('')}    },\n)\n`;
    // Deleted and added again, so that it comes after the types that it uses.
    this.made.delete(name);
    this.made.set(name, text);
    return name;
  }
}

const credentialOf = ({ security = [] }) => {
  const schemes = security.flatMap((each) => Object.keys(each));
  return ['management_token', 'service_key'].find((scheme) => schemes.includes(scheme)) ?? 'none';
};

function operationsOf({ paths }) {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { operationId }]) => operationId !== undefined)
        .map(([method, operation]) => [operation.operationId, { ...operation, method: method.toUpperCase(), path }]),
    ),
  );
}

/** Parameters and result of a method of the client. */
function signatureOf(operation, types) {
  const { operationId, parameters = [], path } = operation;
  const called = capital(operationId);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const contentOfSuccess =
    Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]?.content ?? {};
  const named = parameters
    // `format` selects another format of typed data, for downloads from the dashboard.
    .filter(({ name }) => name !== 'format' || contentOfSuccess['application/json'] === undefined)
    .filter(({ in: where, name }) => where === 'query' || (where === 'header' && name === 'Last-Event-ID'))
    .map(({ name, in: where, required, schema, description }) => ({
      name,
      where,
      description,
      argument: inPath.includes(name) ? `${identifier(name)}_` : identifier(name),
      type: types.of(schema, called + camel(name)).replace(/^list\[/, 'Sequence['),
      required: required === true,
    }));
  const content = operation.requestBody?.content?.['application/json'];
  const body = content === undefined ? undefined : types.of(content.schema, `${called}Body`);
  const contents = Object.keys(contentOfSuccess);
  const json = contentOfSuccess['application/json'];
  const output =
    contents.length === 0 ? 'None' : json === undefined ? 'Download' : types.of(json.schema, `${called}Answer`);
  return { inPath, named, body, bodyIsRequired: operation.requestBody?.required === true, output, json };
}

/** The property of a response with the cursor of the next page, and the parameter that requests the page. */
function pagingOf({ named, json }, types) {
  const name = json?.schema.$ref?.split('/').pop();
  const properties = types.schemas[name]?.properties ?? {};
  const pair = [
    ['cursor', 'next_cursor'],
    ['before', 'next_before'],
  ].find(([parameter, key]) => named.some((each) => each.name === parameter) && properties[key] !== undefined);
  if (pair === undefined) return undefined;
  const list = Object.entries(properties).find(([, each]) => each.type === 'array');
  return {
    parameter: pair[0],
    next: pair[1],
    key: list[0],
    item: types.of(list[1].items, `${name}${camel(list[0])}Item`),
  };
}

const typed = (text) =>
  text.replace(/(?<![\w."'])([A-Z]\w*)/g, (name) =>
    ['Any', 'Literal', 'None', 'Sequence', 'True', 'False', 'Download', 'NotRequired'].includes(name)
      ? name
      : `t.${name}`,
  );
/** Qualifies the names of types in a text; names inside quoted values are not types. */
const qualified = (text) =>
  text
    .split(/("[^"]*")/)
    .map((part) => (part.startsWith('"') ? part : typed(part)))
    .join('');

function methodText(name, operation, types, isAsync) {
  const signature = signatureOf(operation, types);
  const { inPath, named, body, bodyIsRequired, output } = signature;
  const plain = [
    'self',
    ...inPath.map((each) => `${identifier(each)}: str | int`),
    ...(body === undefined ? [] : [`body: ${qualified(body)}${bodyIsRequired ? '' : ' | None = None'}`]),
  ];
  const keywords = (paging) => {
    const own = named
      .filter((each) => each.name !== paging)
      .map((each) => `${each.argument}: ${qualified(each.type)}${each.required ? '' : ' | None = None'}`);
    if (named.some(({ where }) => where === 'query')) own.push('extra_query: Mapping[str, str] | None = None');
    return own.length === 0 ? [] : ['*', ...own];
  };
  const shown = isAsync ? output.replace('Download', 'AsyncDownload') : output;
  const result = qualified(shown).replace('t.AsyncDownload', 'AsyncDownload');
  const kind = output === 'None' ? 'none' : output === 'Download' ? 'download' : 'json';
  const path = inPath.length === 0 ? '()' : `(${inPath.map(identifier).join(', ')},)`;
  const query = (paging) =>
    dictionary(
      named.filter((each) => each.where === 'query' && each.name !== paging),
      named.some(({ where }) => where === 'query') ? ['**(extra_query or {})'] : [],
    );
  const headers = named.filter(({ where }) => where === 'header');
  const call = [
    JSON.stringify(operation.method),
    JSON.stringify(operation.path.replace(/\{\w+\}/g, '{}')),
    JSON.stringify(credentialOf(operation)),
    path,
    query(),
    ...(body === undefined ? [] : ['body=body']),
    ...(headers.length === 0 ? [] : [`headers=${dictionary(headers, [])}`]),
  ];
  const paged = pagingOf(signature, types);
  // Python needs separate methods with and without `await`, so each operation is generated for both.
  const [define, wait] = isAsync ? ['async def', 'await '] : ['def', ''];
  const lines = [
    declared(define, name, [...plain, ...keywords()], result),
    docstring(operation.description ?? operation.summary, '        '),
    kind === 'none'
      ? `        ${wait}self._sender.${kind}(${called(call)})\n`
      : `        answer: ${result} = ${wait}self._sender.${kind}(${called(call)})\n        return answer\n`,
  ];
  if (paged !== undefined) lines.push('\n', iteratorText(name, paged, { plain, keywords, call, query }, isAsync));
  return lines.join('');
}

function iteratorText(name, paged, { plain, keywords, call, query }, isAsync) {
  const iterator = isAsync ? 'AsyncIterator' : 'Iterator';
  const method = name === 'list' ? 'iterate' : `iterate_${name}`;
  const asked = [
    ...call.slice(0, 4),
    query(paged.parameter),
    `${JSON.stringify(paged.parameter)}`,
    JSON.stringify(paged.next),
    JSON.stringify(paged.key),
  ];
  return [
    declared('def', method, [...plain, ...keywords(paged.parameter)], `${iterator}[${qualified(paged.item)}]`),
    `        """All results of \`${name}\`, read page by page."""\n`,
    `        return self._sender.pages(${called(asked)})\n`,
  ].join('');
}

const called = (parts) => {
  const flat = parts.join(', ');
  return flat.length <= 70 ? flat : `\n            ${parts.join(',\n            ')},\n        `;
};

function dictionary(named, more) {
  const rows = [...named.map((each) => `${JSON.stringify(each.name)}: ${each.argument}`), ...more];
  const flat = `{${rows.join(', ')}}`;
  return flat.length <= 90 ? flat : `{\n${rows.map((row) => `                ${row},\n`).join('')}            }`;
}

function declared(define, name, parameters, result) {
  const flat = `    ${define} ${name}(${parameters.join(', ')}) -> ${result}:\n`;
  if (flat.length <= MOST_COLUMNS) return flat;
  return `    ${define} ${name}(\n${parameters.map((each) => `        ${each},\n`).join('')}    ) -> ${result}:\n`;
}

function groupText(group, methods, operations, types, isAsync) {
  const name = capital(group);
  const base = group === 'calls' ? (isAsync ? 'AsyncRawCalls' : 'RawCalls') : isAsync ? 'AsyncGroup' : 'Group';
  const texts = Object.entries(methods)
    .filter(([, id]) => !BY_HAND.has(id))
    .map(([method, id]) => methodText(snake(method), operations.get(id), types, isAsync));
  return `class ${isAsync ? 'Async' : ''}${name}(${base}):\n${texts.join('\n')}`;
}

function groupsText(groups, operations, types, isAsync) {
  const prefix = isAsync ? 'Async' : '';
  const names = Object.keys(groups);
  const iterator = isAsync ? 'AsyncIterator' : 'Iterator';
  const classes = names.map((group) => groupText(group, groups[group], operations, types, isAsync));
  const members = names.map((group) => `        self.${snake(group)} = ${prefix}${capital(group)}(sender)\n`);
  return [
    `"""The operations of Weir's API, grouped by subject${isAsync ? ', for event loops' : ''}. ${NOTE}"""`,
    `from __future__ import annotations\n\nfrom typing import Any, ${iterator}, Literal, Mapping, Sequence`,
    `from . import types as t\nfrom ._api_calls import ${prefix}RawCalls\nfrom ._api_client import ${prefix}Group, ${prefix}Sender\nfrom ._api_download import ${prefix}Download\n`,
    ...classes.map((text) => `\n${text}`),
    `\nclass ${prefix}Groups:\n    def __init__(self, sender: ${prefix}Sender) -> None:\n${members.join('')}`,
  ]
    .join('\n\n')
    .replace(/\n\n\n\n+/g, '\n\n\n');
}

/** The generated files, by their names in `weir_sdk`. */
export function pythonApi(document) {
  const groups = { ...GROUPS, calls: { ...GROUPS.calls, routes: 'listCallRoutes' } };
  const api = JSON.parse(document);
  const types = new Types(api.components.schemas);
  const operations = operationsOf(api);
  const sync = groupsText(groups, operations, types, false);
  const loops = groupsText(groups, operations, types, true);
  // Types of the hand-written operations' results and of errors.
  for (const name of ['CallEnd', 'CallEnds', 'Error', 'Violation']) types.named(name);
  const head = [
    `"""Types of Weir's API. ${NOTE}"""`,
    'from __future__ import annotations',
    'import sys\nfrom typing import TYPE_CHECKING, Any, Literal, TypedDict',
    'if sys.version_info >= (3, 11):\n    from typing import NotRequired\nelif TYPE_CHECKING:\n    from typing_extensions import NotRequired\n',
  ];
  return {
    'types.py': `${head.join('\n\n')}\n\n${[...types.made.values()].join('\n\n')}`,
    '_api_groups.py': sync,
    '_api_async_groups.py': loops,
  };
}
