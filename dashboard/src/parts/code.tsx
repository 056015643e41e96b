/** A code viewer: YAML or JSON, line numbers, folding, search. It uses a shadow root, where its styles need no `<style>`. */
import { yaml } from '@codemirror/lang-yaml';
import { foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { getChunks, unifiedMergeView } from '@codemirror/merge';
import { EditorState, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  gutter,
  GutterMarker,
  highlightSpecialChars,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, type ReactNode } from 'react';
import { HIDDEN_SIGNS, shown as shownSign, visible } from './visible.ts';

const look = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'transparent', color: 'var(--fg)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--fg-3)', border: 'none' },
  '.cm-content': { caretColor: 'transparent' },
  '.cm-collapsedLines': { background: 'var(--bg-2)', color: 'var(--fg-2)', padding: '2px 8px' },
  // The dashboard's fonts do not have the characters that the package uses here.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: "'···'" },
  '&.cm-merge-b .cm-changedText, .cm-insertedLine': {
    background: 'color-mix(in srgb, var(--redact) 9%, transparent)',
  },
  '.cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--redact) 8%, transparent) !important' },
  '.cm-deletedChunk': { backgroundColor: 'color-mix(in srgb, var(--block) 10%, transparent)' },
  '.cm-since': { color: 'var(--fg-3)', paddingInline: '8px', borderInlineEnd: '1px solid var(--line)' },
  '.cm-atLine': { backgroundColor: 'var(--accent-soft)' },
  '.cm-sign': { color: 'var(--block)', background: 'var(--block-soft)' },
  '.cm-found': { outline: '1px solid var(--accent)' },
  '.cm-found.cm-atPlace': { backgroundColor: 'var(--accent-soft)', outlineWidth: '2px' },
});
const colorsOf = (comments: string): HighlightStyle =>
  HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
    { tag: tags.comment, color: comments, fontStyle: 'italic' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--fg)' },
    { tag: [tags.number, tags.bool, tags.keyword, tags.null], color: 'var(--redact)' },
  ]);
const colors = colorsOf('var(--fg-3)');
/** Dim comments would be unreadable on the background of changed lines. */
const diffColors = colorsOf('var(--fg)');

/** A character that reorders or hides text is shown in its place, so that a rule does nothing else than what a reviewer reads. */
const hiddenSigns = highlightSpecialChars({
  specialChars: HIDDEN_SIGNS,
  render: (code) => {
    const sign = document.createElement('span');
    sign.className = 'cm-sign';
    sign.textContent = shownSign(String.fromCodePoint(code));
    return sign;
  },
});

interface Place {
  readonly from: number;
  readonly to: number;
}

const setFound = StateEffect.define<{ readonly found: readonly Place[]; readonly at: number }>();
/** Highlights the matches of a search. The search package is not used: it adds a panel that no page has space for. */
const foundField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { effects }) => {
    const effect = effects.find((each) => each.is(setFound));
    if (effect === undefined) return before;
    const { found, at } = effect.value as { readonly found: readonly Place[]; readonly at: number };
    return Decoration.set(
      found.map(({ from, to }, index) =>
        Decoration.mark({ class: index === at ? 'cm-found cm-atPlace' : 'cm-found' }).range(from, to),
      ),
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

interface CodeProps {
  readonly text: string;
  readonly label: string;
  /** The older text with which `text` is compared. */
  readonly before?: string;
  readonly line?: number | undefined;
  /** Number of the first line if the text is a part of a file. */
  readonly firstLine?: number;
  /** The word before each line; consecutive lines with the same word show it once. */
  readonly since?: readonly string[] | undefined;
  /** The highlighted places; the one with the index `at` is scrolled into view. */
  readonly found?: readonly Place[];
  readonly at?: number;
  /** Called with the changes of a comparison, and with null when they are no longer shown. */
  readonly drawn?: (changes: Changes | null) => void;
}

export interface Changes {
  readonly count: number;
  /** Scrolls a change into view and marks it. */
  readonly show: (index: number) => void;
  readonly unmark: () => void;
}

function changesOf(view: EditorView): Changes {
  const end = view.state.doc.length;
  const places = (getChunks(view.state)?.chunks ?? []).map(({ fromB, endB }) => ({
    from: Math.min(fromB, end),
    to: Math.min(endB, end),
  }));
  // A mark cannot be empty: where lines were only removed, there is nothing to mark.
  const mark = (found: readonly Place[]) => setFound.of({ found: found.filter(({ from, to }) => from < to), at: 0 });
  return {
    count: places.length,
    show: (index) => {
      const place = places[index];
      if (place === undefined) return;
      view.dispatch({ effects: [mark([place]), EditorView.scrollIntoView(place.from, { y: 'center' })] });
    },
    unmark: () => view.dispatch({ effects: mark([]) }),
  };
}

class Since extends GutterMarker {
  constructor(private readonly word: string) {
    super();
  }

  override eq(other: Since): boolean {
    return other.word === this.word;
  }

  override toDOM(): Node {
    return document.createTextNode(this.word);
  }
}

function sinceGutter(since: readonly string[]): Extension {
  const longest = since.reduce((most, word) => (word.length > most.length ? word : most), '');
  return gutter({
    class: 'cm-since',
    lineMarker: (view, { from }) => {
      const at = view.state.doc.lineAt(from).number - 1;
      return since[at] === since[at - 1] ? null : new Since(since[at] ?? '');
    },
    initialSpacer: () => new Since(longest),
  });
}

type Look = Pick<CodeProps, 'before' | 'label' | 'since'> & { readonly firstLine: number };

function extensionsOf({ before, label, firstLine, since }: Look): Extension[] {
  const extensions: Extension[] = [
    ...(since === undefined ? [] : [sinceGutter(since)]),
    lineNumbers({ formatNumber: (number) => String(number + firstLine - 1) }),
    foldGutter(),
    hiddenSigns,
    look,
    syntaxHighlighting(before === undefined ? colors : diffColors),
    yaml(),
    foundField,
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
  ];
  if (before === undefined) return extensions;
  const comparison = unifiedMergeView({
    original: visible(before),
    mergeControls: false,
    collapseUnchanged: { margin: 3, minSize: 6 },
    allowInlineDiffs: true,
  });
  return [...extensions, comparison];
}

const NOTHING_FOUND: readonly Place[] = [];

export default function Code(props: CodeProps): ReactNode {
  const { text, label, before, line, firstLine = 1, found = NOTHING_FOUND, at = 0, since } = props;
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView | null>(null);
  const onDrawn = useRef(props.drawn);
  onDrawn.current = props.drawn;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    // In a comparison, removed lines are drawn without extensions: both texts have their visible form.
    const doc = before === undefined ? text : visible(text);
    const extensions = extensionsOf({ before, label, firstLine, since });
    const view = new EditorView({ state: EditorState.create({ doc, extensions }), root: shadow, parent: shadow });
    if (line !== undefined && line <= view.state.doc.lines) {
      const at = view.state.doc.line(line).from;
      view.dispatch({
        selection: { anchor: at, head: view.state.doc.line(line).to },
        effects: EditorView.scrollIntoView(at, { y: 'center' }),
      });
    }
    shown.current = view;
    if (before !== undefined) onDrawn.current?.(changesOf(view));
    return () => {
      onDrawn.current?.(null);
      view.destroy();
    };
  }, [text, before, label, line, firstLine, since]);
  useEffect(() => {
    const place = found[at];
    shown.current?.dispatch({
      effects: [
        setFound.of({ found, at }),
        ...(place === undefined ? [] : [EditorView.scrollIntoView(place.from, { y: 'center' })]),
      ],
    });
  }, [found, at, text, since]);
  return <div className="code" ref={host} />;
}
