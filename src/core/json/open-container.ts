import { CodeRow, isByte, isCode, isIndex } from './code-row.js';
import type { BytesWithin, CodesWithin, JsonNode, JsonSource, ObjectMember, TextNode } from './json-node.js';
import { MANY_MEMBERS, MemberIndex } from './member-index.js';

/** A list that is still being read. */
interface OpenList {
  readonly node: {
    readonly kind: 'array';
    readonly items: readonly JsonNode[];
    codes?: CodesWithin[];
    bytes?: BytesWithin;
  };
  readonly items: JsonNode[];
  /** The number of items that are bytes, and the offset of the first one. */
  byteCount: number;
  bytesFrom: number;
  /** The row of character codes that the last items belong to. */
  row: CodeRow | undefined;
}

/** An object that is still being read. It gets an index once it has many members. */
interface OpenObject {
  readonly node: {
    readonly kind: 'object';
    readonly members: readonly ObjectMember[];
    index?: MemberIndex;
    codes?: CodesWithin[];
  };
  readonly members: ObjectMember[];
  key: TextNode;
  start: number;
  /** The row of character codes that the last members belong to. */
  row: CodeRow | undefined;
}

/** Minimum number of bytes of a file that is written in numbers; shorter ones contain no finding with a high score. */
export const LEAST_BYTES = 16;

/** A list or an object whose end has not been read. */
export type OpenContainer = OpenList | OpenObject;

/** Adds the first or next member to an object. */
export function addMember({ node, members }: OpenObject, member: ObjectMember): void {
  members.push(member);
  if (node.index !== undefined) node.index.add(member);
  else if (members.length >= MANY_MEMBERS) node.index = new MemberIndex(members);
}

/** Begins a list. */
export function openList(): OpenList {
  const items: JsonNode[] = [];
  return { node: { kind: 'array', items }, items, byteCount: 0, bytesFrom: 0, row: undefined };
}

/** Begins an object. @param start the offset of its first value */
export function openObject(key: TextNode, start: number): OpenObject {
  const members: ObjectMember[] = [];
  return { node: { kind: 'object', members }, members, key, start, row: undefined };
}

/**
 * Adds a value that was just read to the container's row of character codes, if it is one.
 * @param start the offset of the value, if it is a number
 * @returns the row that has ended before the value; undefined if there is none or it is short
 */
export function continueRow(
  container: OpenContainer,
  value: JsonNode,
  start: number,
  end: number,
): CodeRow | undefined {
  const isList = 'items' in container;
  if (isList && isByte(value) && container.byteCount++ === 0) container.bytesFrom = start;
  if (typeof value !== 'number' || !isCode(value) || (!isList && !isIndex(container.key.text)))
    return endRow(container);
  container.row ??= new CodeRow((isList ? container.items : container.members).length - 1, start);
  container.row.add(value, end);
  return undefined;
}

/** Ends the row of a container. @returns the row; undefined if there is none or it is short */
export function endRow(container: OpenContainer): CodeRow | undefined {
  const { row } = container;
  container.row = undefined;
  return row?.isText === true ? row : undefined;
}

/** Notes that a list consists of bytes, if it does. @param end the offset after its last item */
export function noteBytes({ node, items, byteCount, bytesFrom }: OpenList, source: JsonSource, end: number): void {
  if (items.length < LEAST_BYTES || byteCount < items.length) return;
  node.bytes = { source, start: bytesFrom, end };
}
