/**
 * pdfjs loads a canvas package, 35 MB of native code for each platform, which it needs only for drawing. Weir reads texts and draws
 * nothing: this replacement is sufficient for loading pdfjs, and throws if something is drawn.
 */
for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) {
  exports[name] = class {
    constructor() {
      throw new Error(`${name}: Weir reads PDF files and does not draw them`);
    }
  };
}
