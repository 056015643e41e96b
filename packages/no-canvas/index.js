/**
 * pdfjs asks for a canvas when it is loaded, 35 MB of native code for each platform, and uses it to draw. Weir reads texts and draws
 * nothing: what stands here is enough to load, and fails loudly if something is drawn after all.
 */
for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) {
  exports[name] = class {
    constructor() {
      throw new Error(`${name}: Weir reads PDF files and does not draw them`);
    }
  };
}
