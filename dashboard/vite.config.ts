/** Builds the dashboard: `vite build dashboard`. `WEIR_DASHBOARD_OUT` names the output folder. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compress, staticTheme, steadyFonts, themeBeforePaint } from './build/plugins.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root,
  publicDir: false,
  plugins: [staticTheme(), themeBeforePaint(), steadyFonts(), compress()],
  // The service may have another address, which `npm run dev` passes on.
  server: {
    port: 5173,
    strictPort: false,
    proxy: Object.fromEntries(
      ['/v1', '/auth', '/proxy', '/docs', '/openapi.json', '/healthz', '/readyz'].map((path) => [
        path,
        { target: process.env['WEIR_DEV_API'] ?? 'http://localhost:8080', changeOrigin: false },
      ]),
    ),
  },
  build: {
    outDir: process.env['WEIR_DASHBOARD_OUT'] ?? fileURLToPath(new URL('../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy refuses `data:` scripts and fonts; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // The licences of the shipped libraries, which these licences require; the SBOM of a release also uses this file.
    license: { fileName: 'licenses.json' },
    reportCompressedSize: false,
    rolldownOptions: {
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
