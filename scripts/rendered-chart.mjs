/**
 * Compares the manifests of `deploy/kubernetes`, which people apply without Helm, with what the chart renders with its defaults.
 */

/** The comment at the beginning of the manifests, which the chart does not render. */
const HEADER = /^(?:#.*\n)*/;

/**
 * Returns the first line in which the manifests differ from the rendered chart; undefined if they are the same. Spaces at the ends of lines
 * and empty lines at the end do not matter.
 *
 * @param {string} manifests the text of the file
 * @param {string} rendered the output of `helm template`
 * @returns {{ line: number, manifest: string, chart: string } | undefined}
 */
export function differenceOf(manifests, rendered) {
  const [header] = HEADER.exec(manifests);
  const ours = linesOf(manifests.slice(header.length));
  const theirs = linesOf(rendered);
  const before = linesOf(`${header}.`).length;
  for (let index = 0; index < Math.max(ours.length, theirs.length); index += 1) {
    const [manifest = '', chart = ''] = [ours[index], theirs[index]];
    if (manifest !== chart) return { line: before + index, manifest, chart };
  }
  return undefined;
}

function linesOf(text) {
  return text.trimEnd().split(/[ \t]*\n/);
}
