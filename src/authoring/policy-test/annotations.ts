/**
 * An annotation in a sample text: `Pay {{IBAN:DE89…}}` is the text without the annotation, with the range in which a detector should find
 * the code.
 * `{{detector/code:text}}` names the detector; `{{{{` means two literal braces.
 */
export interface Annotation {
  /** The key under the policy's `detectors`, if the code alone is not unique. */
  readonly detector?: string;
  readonly code: string;
  /** Half-open range in the text without annotations, UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface AnnotatedText {
  readonly text: string;
  readonly annotations: readonly Annotation[];
  /** The error of the first annotation that cannot be parsed. */
  readonly error?: string;
}

const MARK = /^\{\{(?:([A-Za-z0-9_-]+)\/)?([A-Za-z0-9_.-]+):/;

/** Removes the annotations from a sample text. An annotation ends at the first `}}`; annotations cannot be nested. */
export function parseAnnotations(source: string): AnnotatedText {
  const annotations: Annotation[] = [];
  let text = '';
  let at = 0;
  for (;;) {
    const open = source.indexOf('{{', at);
    if (open < 0) return { text: text + source.slice(at), annotations };
    text += source.slice(at, open);
    if (source.startsWith('{{{{', open)) {
      text += '{{';
      at = open + 4;
      continue;
    }
    const mark = MARK.exec(source.slice(open, open + 200));
    if (mark?.[2] === undefined) return { text, annotations, error: unreadable(source.slice(open, open + 200)) };
    const from = open + mark[0].length;
    const close = source.indexOf('}}', from);
    if (close < 0) return { text, annotations, error: 'the annotation is not closed with }}' };
    const inner = source.slice(from, close);
    if (inner === '') return { text, annotations, error: 'the annotation contains no text' };
    if (inner.includes('{{')) return { text, annotations, error: 'annotations cannot be nested' };
    const detector = mark[1] === undefined ? {} : { detector: mark[1] };
    annotations.push({ ...detector, code: mark[2], start: text.length, end: text.length + inner.length });
    text += inner;
    at = close + 2;
  }
}

function unreadable(mark: string): string {
  const quoted = /^\{\{\s*(["'`])([\w/-]+)\1/.exec(mark)?.[2];
  if (quoted !== undefined) return `write the code of an annotation without quotes: {{${quoted}:text}}`;
  return 'expected {{CODE:text}}; write {{{{ for two braces';
}
