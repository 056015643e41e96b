/** Named lists of phrases; `{name}` in a phrase stands for an entry of that list, and `all` contains the patterns of complete texts. */
export type Grammar = { readonly all: readonly string[] } & Readonly<Record<string, readonly string[]>>;

const SLOT = /\{[A-Za-z]+\}/;
const SLOTS = /\{([A-Za-z]+)\}/g;
/** Maximum depth of slots in slots. */
const DEPTH = 3;

/**
 * Up to `count` different texts from a grammar. The entries of each list are chosen pseudo-randomly, and the result is the same in
 * every run.
 */
export function combine(grammar: Grammar, count: number): string[] {
  const texts = new Set<string>();
  for (let turn = 0; texts.size < count && turn < count * 20; turn++) {
    let state = Math.imul(turn + 1, 0x9e3779b1) >>> 0;
    const choose = (list: readonly string[]): string => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
      state = (state ^ (state >>> 12)) >>> 0;
      return list[state % list.length]!;
    };
    let text = choose(grammar.all);
    for (let depth = 0; depth < DEPTH && SLOT.test(text); depth++)
      text = text.replaceAll(SLOTS, (_slot, name: string) => choose(grammar[name]!));
    texts.add(text.charAt(0).toUpperCase() + text.slice(1));
  }
  return [...texts];
}
