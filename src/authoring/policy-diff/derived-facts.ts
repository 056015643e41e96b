import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { FactValue } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

/** A fact that, under a given policy, follows from the text of another fact. */
export interface DerivedFact {
  readonly fact: string;
  readonly from: string;
  /** Undefined if the plugin's options in the policy are invalid. */
  of(text: string, policy: CompiledPolicy): FactValue | undefined;
  examples(policy: CompiledPolicy): readonly string[];
}

/** The derived facts that the structure plugins of a catalog declare. */
export function derivedFacts({ structures }: PluginCatalog): DerivedFact[] {
  return structures.flatMap(({ meta, follows = [] }) => {
    const optionsIn = (policy: CompiledPolicy): unknown => {
      const binding = policy.structures.find(({ plugin }) => plugin === meta.id);
      return binding === undefined ? meta.options.safeParse({}).data : binding.options;
    };
    return follows.map(({ fact, from, of, examples }): DerivedFact => {
      const under = <T>(policy: CompiledPolicy, ask: (options: unknown) => T): T | undefined => {
        const options = optionsIn(policy);
        return options === undefined ? undefined : ask(options);
      };
      return {
        fact,
        from,
        of: (text, policy) => under(policy, (options) => of(text, options)),
        examples: (policy) => under(policy, examples) ?? [],
      };
    });
  });
}
