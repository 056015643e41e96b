import { z } from 'zod';
import type { CompiledPolicy, CompiledRule } from '../../src/core/index.js';

/** The hits of one rule in a span of time. */
export interface RuleHits {
  readonly hits: number;
  /** Hits whose action was applied. */
  readonly enforced: number;
  /** The number of times that the rule matched and an exception applied; null if unknown. */
  readonly excepted: number | null;
  /** RFC 3339 time; null without a hit. */
  readonly firstHit: string | null;
  readonly lastHit: string | null;
}

const NONE: RuleHits = { hits: 0, enforced: 0, excepted: null, firstHit: null, lastHit: null };

/** The fields that are read from a `policy.violation` event. */
const HIT = z.object({
  violations: z.array(z.object({ rule: z.string(), enforced: z.boolean() })),
  received_at: z.string(),
});

/** Counts hits by rule id; its memory depends only on the number of rules. */
export class HitCounter {
  private readonly byId = new Map<string, RuleHits>();
  /** Number of lines that are not events. */
  broken = 0;

  /** @param event one event of an export of `policy.violation` */
  add(event: unknown): void {
    const parsed = HIT.safeParse(event);
    if (!parsed.success) {
      this.broken += 1;
      return;
    }
    const { violations, received_at: at } = parsed.data;
    for (const { rule, enforced } of violations) {
      this.byId.set(
        rule,
        joined(this.byId.get(rule) ?? NONE, {
          ...NONE,
          hits: 1,
          enforced: enforced ? 1 : 0,
          firstHit: at,
          lastHit: at,
        }),
      );
    }
  }

  /** The hits of a rule, including those under its former ids. */
  of({ id, formerly }: Pick<CompiledRule, 'id' | 'formerly'>): RuleHits {
    return [id, ...formerly].reduce((sum, name) => joined(sum, this.byId.get(name) ?? NONE), NONE);
  }

  /** Ids of fired rules that are not in the policy: removed rules, or rules of another policy. */
  strangers({ rules }: Pick<CompiledPolicy, 'rules'>): string[] {
    const known = new Set(rules.flatMap(({ id, formerly }) => [id, ...formerly]));
    return [...this.byId.keys()].filter((id) => !known.has(id)).sort();
  }
}

function joined(a: RuleHits, b: RuleHits): RuleHits {
  return {
    hits: a.hits + b.hits,
    enforced: a.enforced + b.enforced,
    excepted: a.excepted === null || b.excepted === null ? null : a.excepted + b.excepted,
    firstHit: [a.firstHit, b.firstHit].filter((at) => at !== null).sort()[0] ?? null,
    lastHit:
      [a.lastHit, b.lastHit]
        .filter((at) => at !== null)
        .sort()
        .at(-1) ?? null,
  };
}
