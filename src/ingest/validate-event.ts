/** Validates a submitted event: a precompiled validator on the hot path, class-validator for the texts of a refusal. */
import { Ajv, type ValidateFunction } from 'ajv';
import { validateSync, type ValidationError } from 'class-validator';
import { isNameLike, type ErrorDetail, type JsonValue } from '../core/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import { EVENT_DTOS, type AnyEventDto } from './dto/event.dto.js';
import { fieldsOf, jsonSchemaOf } from './dto/json-schema.js';
import { toDto } from './dto/to-dto.js';
import type { ClientEventType } from '../events/index.js';

const MAX_DETAILS = 20;
const CLIENT_TYPES = Object.keys(EVENT_DTOS) as ClientEventType[];
const RESERVED_TYPES: readonly string[] = ['policy.violation', 'budget.exceeded'];

// `1e999` is valid JSON and parses as infinity. A result of a tool may contain it at any depth; number fields have bounds.
const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictNumbers: false,
  allErrors: false,
});
const VALIDATORS: Readonly<Record<ClientEventType, ValidateFunction<AnyEventDto>>> = {
  'ai.request': ajv.compile<AnyEventDto>(jsonSchemaOf(EVENT_DTOS['ai.request'], true)),
  'ai.response': ajv.compile<AnyEventDto>(jsonSchemaOf(EVENT_DTOS['ai.response'], true)),
  'ai.error': ajv.compile<AnyEventDto>(jsonSchemaOf(EVENT_DTOS['ai.error'], true)),
  'agent.tool_call': ajv.compile<AnyEventDto>(jsonSchemaOf(EVENT_DTOS['agent.tool_call'], true)),
};

/**
 * Validates the body as an event of its type.
 * @throws {WeirError} 422 `reserved_event_type`, or `invalid_request` with one detail per field; no value is repeated
 */
export function validateEvent(body: JsonValue): AnyEventDto {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest([{ path: '', message: 'must be a JSON object' }]);
  }
  const type = typeOf(body as Readonly<Record<string, JsonValue>>);
  if (acceptsEvent(type, body)) return body;
  throw invalidRequest(explainEvent(type, body));
}

/** The hot path: one compiled function, without error messages. */
export function acceptsEvent(type: ClientEventType, body: unknown): body is AnyEventDto {
  return VALIDATORS[type](body);
}

function typeOf(body: Readonly<Record<string, JsonValue>>): ClientEventType {
  const type = Object.hasOwn(body, 'type') ? body['type'] : undefined;
  const known = CLIENT_TYPES.find((each) => each === type);
  if (known !== undefined) return known;
  if (typeof type === 'string' && RESERVED_TYPES.includes(type)) {
    throw new WeirError('reserved_event_type', {
      details: [
        { path: 'type', message: `is recorded by the service alone; submit one of ${CLIENT_TYPES.join(', ')}` },
      ],
    });
  }
  const message = type === undefined || type === null ? 'is required' : `must be one of ${CLIENT_TYPES.join(', ')}`;
  throw invalidRequest([{ path: 'type', message }]);
}

/** The errors of a body that was not accepted: at least one entry, at most 20. */
export function explainEvent(type: ClientEventType, body: object): ErrorDetail[] {
  const details = [...unknownKeys(type, body), ...validationErrors(type, body)].slice(0, MAX_DETAILS);
  return details.length > 0 ? details : [{ path: '', message: `is not a valid ${type} event` }];
}

/** The errors of class-validator for the declared fields. */
export function validationErrors(type: ClientEventType, body: object): ErrorDetail[] {
  const event = toDto(EVENT_DTOS[type], body);
  const errors = validateSync(event, { forbidUnknownValues: false, stopAtFirstError: true });
  return errors.flatMap((error) => flatten(error, ''));
}

/** An unknown key is most likely misspelt: if it were accepted, the intended field would silently be missing. */
function unknownKeys(type: ClientEventType, body: object): ErrorDetail[] {
  const known = fieldsOf(EVENT_DTOS[type]).map(({ name }) => name);
  return Object.keys(body)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: isNameLike(key) ? key : '(a key)',
      message: 'is not a field of an event; put additional data into `metadata` or `payload`',
    }));
}

function flatten(error: ValidationError, parent: string): ErrorDetail[] {
  const path = pathTo(error, parent);
  const children = (error.children ?? []).flatMap((child) => flatten(child, path));
  const message = Object.values(error.constraints ?? {})[0];
  if (message === undefined) return children;
  const missing = error.value === undefined || error.value === null;
  return [{ path, message: missing && message.startsWith('must be') ? 'is required' : message }, ...children];
}

function pathTo(error: ValidationError, parent: string): string {
  if (Array.isArray(error.target)) return `${parent}[${error.property}]`;
  return parent === '' ? error.property : `${parent}.${error.property}`;
}
