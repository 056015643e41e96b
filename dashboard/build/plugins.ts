/** Plugins for Vite: a theme without `<style>` elements, the theme before first paint, compressed files, fonts without layout shifts. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { convertCssVariables, defaultCssVariablesResolver, mergeMantineTheme, DEFAULT_THEME } from '@mantine/core';
import type { Plugin } from 'vite';
import { theme } from '../src/look/theme.ts';

const THEME_SHEET = 'virtual:theme.css';

/**
 * Mantine writes its variables into a `<style>` element at run time, which the content security policy refuses. They are
 * known at build time, so they are a static sheet.
 */
export function staticTheme(): Plugin {
  return {
    name: 'weir-static-theme',
    resolveId: (id) => (id === THEME_SHEET ? `\0${THEME_SHEET}` : null),
    load(id) {
      if (id !== `\0${THEME_SHEET}`) return null;
      const variables = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
      return convertCssVariables(variables, ':root');
    },
  };
}

/**
 * Reads the stored choice of theme and sets it on the root before first paint. It is a separate file, because the page may contain no
 * inline script.
 */
const BEFORE_PAINT = `(function(){var r=document.documentElement,t='system',d='regular';try{t=localStorage.getItem('weir.theme')||t;d=localStorage.getItem('weir.density')||d}catch(e){}
if(t!=='light'&&t!=='dark')t=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light';r.setAttribute('data-mantine-color-scheme',t);r.setAttribute('data-density',d)})();
`;

export function themeBeforePaint(): Plugin {
  const digest = createHash('sha256').update(BEFORE_PAINT).digest('hex').slice(0, 8);
  const path = `assets/theme-${digest}.js`;
  return {
    name: 'weir-theme-before-paint',
    configureServer(server) {
      server.middlewares.use(`/${path}`, (_request, answer) => {
        answer.setHeader('content-type', 'text/javascript');
        answer.end(BEFORE_PAINT);
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: path, source: BEFORE_PAINT });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${path}` }, injectTo: 'head-prepend' }],
  };
}

const COMPRESSIBLE = new Set(['.js', '.css', '.svg']);

/** Compresses once, at build time; the service sends these files as they are. */
export function compress(): Plugin {
  return {
    name: 'weir-compress',
    apply: 'build',
    writeBundle({ dir }) {
      const folder = join(dir ?? '.', 'assets');
      for (const name of readdirSync(folder)) {
        if (!COMPRESSIBLE.has(extname(name))) continue;
        const path = join(folder, name);
        const content = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
      }
    },
  };
}

/** The fonts that every page uses; they are preloaded in parallel with the first script. */
const FIRST_FONTS = /^assets\/(?:inter|jetbrains-mono)-latin-wght-normal-[\w-]+\.woff2$/;

/**
 * A font that arrives late would reflow every line and shift the layout. So fonts are preloaded, and a font that is missing at first paint
 * is used only from the next page on, which has it in its cache.
 */
export function steadyFonts(): Plugin {
  return {
    name: 'weir-steady-fonts',
    enforce: 'pre',
    transform: {
      filter: { id: /@fontsource-variable.*\.css$/ },
      handler: (code) => code.replaceAll('font-display: swap', 'font-display: optional'),
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => FIRST_FONTS.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${name}`, crossorigin: true },
            injectTo: 'head',
          })),
    },
  };
}
