/** Display names for parts of Office files. The name of a file could contain any text, so it is not shown. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^word\/document\d*\.xml$/, 'document'],
  [/^word\/header(\d+)\.xml$/, 'header $1'],
  [/^word\/footer(\d+)\.xml$/, 'footer $1'],
  [/^word\/(footnotes|endnotes|comments|styles|settings|numbering)\.xml$/, '$1'],
  [/^xl\/worksheets\/sheet(\d+)\.xml$/, 'sheet $1'],
  [/^xl\/sharedStrings\.xml$/, 'cells'],
  [/^xl\/workbook\.xml$/, 'workbook'],
  [/^xl\/(?:comments|threadedComments\/threadedComment)(\d+)\.xml$/, 'comments $1'],
  [/^ppt\/slides\/slide(\d+)\.xml$/, 'slide $1'],
  [/^ppt\/notesSlides\/notesSlide(\d+)\.xml$/, 'slide $1 notes'],
  [/^ppt\/comments\/(?:\w*?)(\d+)\.xml$/, 'comments $1'],
  [/^docProps\/\w+\.xml$|^meta\.xml$/, 'properties'],
  [/^content\.xml$/, 'document'],
  [/^styles\.xml$/, 'styles'],
];

/** @param index position of the part, used if its name is unknown */
export function placeOfPart(name: string, index: number): string {
  for (const [form, place] of PLACES) if (form.test(name)) return name.replace(form, place);
  return `file ${index + 1}`;
}
