/** The docs as a site: `npm run docs`. Pages are the files in `docs`, which read the same in a repository's browser. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const DOCS = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const ROOT = join(DOCS, '..');

/** The guides in the order in which somebody new needs them; a guide that is not named stands at the end. */
const FIRST = [
  'tutorial',
  'install',
  'come-to-weir',
  'proxy',
  'events',
  'policies',
  'test-policies',
  'deploy-policies',
];

export default defineConfig({
  srcDir: '..',
  srcExclude: ['site/**'],
  outDir: join(ROOT, 'dist-docs'),
  cacheDir: join(DOCS, 'site', 'node_modules', '.cache'),
  title: 'Weir',
  description: 'Guardrails and a durable log for calls to AI providers.',
  cleanUrls: true,
  lastUpdated: false,
  vite: { server: { fs: { allow: [ROOT] } } },
  markdown: { config: (markdown) => markdown.use(outsideLinks).use(bracesAsText) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/guides/tutorial' },
      { text: 'Guides', link: '/guides/policies' },
      { text: 'Reference', link: '/reference/cli' },
      { text: 'Decisions', link: '/adr/0001-engine-per-evaluation' },
    ],
    sidebar: [
      {
        text: 'About',
        items: ['architecture', 'glossary', 'versions', 'detectors', 'streams', 'reliability', 'runbook'].map(item('')),
      },
      { text: 'Guides', items: inOrder(namesIn('guides')).map(item('guides')) },
      { text: 'Reference', items: namesIn('reference').map(item('reference')) },
      { text: 'Decisions', collapsed: true, items: namesIn('adr').map(item('adr')) },
    ],
  },
});

function namesIn(folder) {
  const files = readdirSync(join(DOCS, folder)).filter((name) => name.endsWith('.md'));
  return files.map((name) => name.slice(0, -'.md'.length)).sort();
}

function inOrder(names) {
  const place = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return names.sort((a, b) => place(a) - place(b));
}

function item(folder) {
  return (name) => ({ text: titleOf(join(DOCS, folder, `${name}.md`)), link: `/${join(folder, name)}` });
}

function titleOf(file) {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1].replaceAll('`', '') ?? file;
}

/**
 * Pages link to files of the repository that are no pages of the site. There such a link is a name alone; a link to what is
 * not there at all stays as it is, so that the build fails for it.
 */
function outsideLinks(markdown) {
  const opened = [];
  markdown.renderer.rules.link_open = (tokens, index, options, environment, renderer) => {
    const href = tokens[index].attrGet('href') ?? '';
    const isOutside = !/^[a-z]+:|^#/i.test(href) && leavesTheSite(href, environment.path);
    opened.push(isOutside);
    return isOutside ? '<span>' : renderer.renderToken(tokens, index, options);
  };
  markdown.renderer.rules.link_close = () => (opened.pop() ? '</span>' : '</a>');
}

function leavesTheSite(href, page) {
  const target = join(dirname(page), decodeURI(href.replace(/[#?].*$/, '')));
  const inside = relative(DOCS, target);
  return existsSync(target) && (inside.startsWith('..') || !target.endsWith('.md'));
}

/**
 * What stands in double braces is text on these pages, never a program of Vue; blocks of code are none anyway. Vue's own
 * setting would hold for the components of the theme as well, which then show their programs.
 */
function bracesAsText(markdown) {
  for (const name of ['text', 'code_inline']) {
    const rule = markdown.renderer.rules[name];
    markdown.renderer.rules[name] = (...given) => rule(...given).replaceAll('{{', '&#123;&#123;');
  }
}
