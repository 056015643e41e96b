import { currentContext } from './context.js';
import type { Settings } from './options.js';

/** Data about a call that is not part of its request. */
export interface Annotations {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly session: string | undefined;
  readonly requestId: string | undefined;
}

const NOTHING: Annotations = { metadata: {}, session: undefined, requestId: undefined };

/** Session and request id are those of the context, else of the options, else of the call; the metadata of all three is merged. */
export function annotationsOf(settings: Settings, call: Annotations = NOTHING): Annotations {
  const context = currentContext();
  return {
    metadata: { ...settings.metadata, ...context?.metadata, ...call.metadata },
    session: context?.session ?? settings.session ?? call.session,
    requestId: context?.requestId ?? settings.requestId ?? call.requestId,
  };
}

/** The headers for annotations, used both for `/v1/calls` and for the proxy. */
export function annotationHeaders({ metadata, session, requestId }: Annotations): Record<string, string> {
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { 'x-service-metadata': asciiJson(metadata) }),
    ...(session === undefined ? {} : { 'x-service-session': session }),
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  };
}

/** JSON in ASCII, which every header can contain. */
function asciiJson(value: object): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped);
}
