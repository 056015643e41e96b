/** The frame of every page for people: plain HTML, one style sheet in it, no script, nothing loaded from elsewhere. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const STYLE = `
:root{color-scheme:light dark;--line:#8886;--soft:#8882;--key:#1d5fd1;--on-key:#fff}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:3rem 1rem;display:flex;justify-content:center}
main{width:100%;max-width:26rem}main.wide{max-width:44rem}
.brand{font-weight:700;letter-spacing:.02em;margin:0 0 1.5rem}
.card{border:1px solid var(--line);border-radius:12px;padding:1.75rem}
.card+.card{margin-top:1rem}
h1{font-size:1.35rem;line-height:1.25;margin:0 0 .75rem}h2{font-size:1.05rem;margin:0 0 .5rem}
p{margin:0 0 1rem}p:last-child,form:last-child{margin-bottom:0}
label{display:block;font-weight:600;margin:0 0 .25rem}
input{width:100%;font:inherit;padding:.6rem .7rem;border:1px solid var(--line);border-radius:8px;background:transparent;color:inherit;margin:0 0 1rem}
button{font:inherit;font-weight:600;padding:.6rem 1.1rem;border:0;border-radius:8px;background:var(--key);color:var(--on-key);cursor:pointer}
button.quiet{background:var(--soft);color:inherit}
:focus-visible{outline:2px solid var(--key);outline-offset:2px}
.hint{font-size:.9rem;opacity:.8}.links{margin-top:1rem;font-size:.95rem}
.problem{border-left:4px solid #c62828;background:var(--soft);padding:.6rem .8rem;border-radius:4px}
.notice{border-left:4px solid #2e7d32;background:var(--soft);padding:.6rem .8rem;border-radius:4px}
table{width:100%;border-collapse:collapse;font-size:.93rem}td,th{text-align:left;padding:.45rem .5rem .45rem 0;border-bottom:1px solid var(--soft);vertical-align:middle}
td form{margin:0}td:not(:first-child){white-space:nowrap}a{color:inherit}`;

/** Only this style sheet, and forms to the service itself; everything else is forbidden. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it stands between tags and in quoted attributes. */
export function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A whole page. `body` is HTML. */
export function page(title: string, body: string, { wide = false } = {}): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${text(title)} · Weir</title><style>${STYLE}</style></head>
<body><main${wide ? ' class="wide"' : ''}><p class="brand">Weir</p>${body}</main></body></html>
`;
}

/**
 * Sets the headers of a page. The address of a page with a link's token goes to no other site; it does go to this one,
 * because with `no-referrer` browsers would send `Origin: null` with the page's own form.
 */
export function asPage(reply: FastifyReply, status: number, html: string): string {
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'same-origin')
    .header('x-robots-tag', 'noindex');
  return html;
}
