/** The docs as a site: `npm run docs`. Pages are the files in `docs`, which read the same in a repository's browser. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const DOCS = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const ROOT = join(DOCS, '..');

/** The guides in the order in which newcomers need them; guides that are not named come last. */
const FIRST = [
  'tutorial',
  'install',
  'migrate-to-weir',
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
 * Pages contain links to files of the repository that are not pages of the site. On the site, such a link is only its text; a link to a
 * missing file stays unchanged, so that the build fails for it.
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
 * Double braces are text on these pages, never expressions of Vue; Vue ignores code blocks anyway. Vue's own setting would also apply to
 * the components of the theme, which would then display their expressions.
 */
function bracesAsText(markdown) {
  for (const name of ['text', 'code_inline']) {
    const rule = markdown.renderer.rules[name];
    markdown.renderer.rules[name] = (...given) => rule(...given).replaceAll('{{', '&#123;&#123;');
  }
}
