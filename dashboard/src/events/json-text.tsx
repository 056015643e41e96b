/** JSON in lines, with the masks in its texts as chips. */
import type { ReactNode } from 'react';
import { visible } from '../parts/text.tsx';
import { MarkedText } from './marked-text.tsx';
import { masksWithin, type MasksByPlace, type MaskDetails } from './masks.ts';

interface JsonTextProps {
  readonly value: unknown;
  readonly path: string;
  readonly details: MaskDetails;
}

/** In characters. Longer JSON is shown as one text, because nobody reads it line by line. */
const LONG = 50_000;
const STEP = '  ';

/** @param value the arguments or the result of a tool: a JSON value, or a string that may contain JSON */
export function JsonText({ value, path, details }: JsonTextProps): ReactNode {
  const parsed = typeof value === 'string' ? parsedOr(value) : value;
  const plain = typeof parsed === 'string' ? parsed : JSON.stringify(parsed, null, 2);
  if (typeof parsed === 'string') return <MarkedText text={parsed} path={path} details={details} />;
  const places = masksWithin(parsed, path, details.masks);
  if (places.size === 0 || plain.length > LONG) return visible(plain);
  return <Value value={parsed} indent="" places={places} details={details} />;
}

function parsedOr(text: string): unknown {
  if (text.length > LONG || !/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface ValueProps {
  readonly value: unknown;
  readonly indent: string;
  readonly places: MasksByPlace;
  readonly details: MaskDetails;
}

function Value({ value, indent, places, details }: ValueProps): ReactNode {
  if (typeof value !== 'object' || value === null) return visible(JSON.stringify(value));
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  if (members.length === 0) return isList ? '[]' : '{}';
  const inner = indent + STEP;
  return (
    <>
      {isList ? '[' : '{'}
      {members.map(([name, member], index) => {
        const masks = places.get(value)?.get(name);
        return (
          <span key={name}>
            {`\n${inner}`}
            {isList ? '' : `${visible(JSON.stringify(name))}: `}
            {masks !== undefined && typeof member === 'string' ? (
              <>
                &quot;
                <MarkedText text={member} path={masks[0]!.path} details={{ ...details, masks }} />
                &quot;
              </>
            ) : (
              <Value value={member} indent={inner} places={places} details={details} />
            )}
            {index < members.length - 1 ? ',' : ''}
          </span>
        );
      })}
      {`\n${indent}`}
      {isList ? ']' : '}'}
    </>
  );
}
