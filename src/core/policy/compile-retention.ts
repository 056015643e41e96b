import type { LegalHold, Retention } from '../model/compiled-policy.js';
import { RETENTION } from './policy-format.js';
import type { ResolvedPolicy } from './resolve.js';
import { entryOf, type Node } from './source/node.js';
import type { Problems } from './source/problems.js';

/**
 * Compiles the retention of events; undefined if no file sets it. Each of the three keys comes from the file with the highest precedence.
 */
export function compileRetention({ setting }: ResolvedPolicy, problems: Problems): Retention | undefined {
  const { content, records, holds } = RETENTION.fields;
  const contentNode = setting('retention', 'content');
  const recordsNode = setting('retention', 'records');
  const holdsNode = setting('retention', 'holds');
  const contentDays = contentNode && content.shape.read(contentNode, problems);
  const recordsDays = recordsNode && records.shape.read(recordsNode, problems);
  const held = holdsNode && holds.shape.read(holdsNode, problems);
  if (contentNode && contentDays !== undefined && recordsDays !== undefined && contentDays > recordsDays) {
    const message = `texts cannot be kept for ${contentDays} days if their records are deleted after ${recordsDays}`;
    problems.add('G007', contentNode.span, message, 'keep the content at most as long as the records');
  }
  if (contentDays === undefined && recordsDays === undefined && held === undefined) return undefined;
  if (holdsNode !== undefined) checkIds(holdsNode, problems);
  return {
    ...(contentDays !== undefined && { contentDays }),
    ...(recordsDays !== undefined && { recordsDays }),
    holds: (held ?? []).map(({ id, match, because, until }): LegalHold => {
      const entries = [...match].sort(([a], [b]) => (a < b ? -1 : 1));
      return { id, match: Object.fromEntries(entries), because, untilMs: until };
    }),
  };
}

function checkIds(holds: Node, problems: Problems): void {
  const known = new Set<unknown>();
  for (const hold of holds.kind === 'seq' ? holds.items : []) {
    const id = entryOf(hold, 'id')?.value;
    if (id?.kind !== 'scalar') continue;
    if (known.has(id.value)) problems.add('G002', id.span, `the hold "${String(id.value)}" is defined twice`);
    known.add(id.value);
  }
}
