/** The layout of every page for people: plain HTML, one inline style sheet, no script, no external resources. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { reportedPolicy } from '../csp-reporting.js';

/** The colours and sizes of the dashboard, in both themes. */
const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--soft:#f7f8f9;--fg:#171c22;--fg-2:#5c6672;--line:#d0d5db;--key:#0f7480;--accent:#0b626c;--bad:#b3261e;--bad-soft:#fce9e6;--good-soft:#e6f2f3}
@media(prefers-color-scheme:dark){:root{--bg:#11151a;--soft:#171c22;--fg:#e6e9ed;--fg-2:#a3acb7;--line:#39424d;--accent:#6cc0c9;--bad:#ff8b73;--bad-soft:#421a16;--good-soft:#16323a}}
*{box-sizing:border-box}
body{font:14px/1.5 'Inter Variable',system-ui,sans-serif;margin:0;padding:4rem 1rem;display:flex;justify-content:center;background:var(--bg);color:var(--fg)}
main{width:100%;max-width:400px}main.wide{max-width:720px}
.brand{display:flex;align-items:center;gap:8px;font-size:16px;font-weight:600;margin:0 0 2rem}
.brand svg{width:22px;height:22px;fill:none;stroke:var(--accent);stroke-width:1.8;stroke-linecap:round}
.card+.card{margin-top:2rem;padding-top:2rem;border-top:1px solid var(--line)}
h1{font-size:20px;font-weight:600;letter-spacing:-.01em;line-height:1.3;margin:0 0 1rem}h2{font-size:14px;font-weight:600;margin:0 0 .5rem}
p{margin:0 0 1rem}p:last-child,form:last-child{margin-bottom:0}
label{display:block;font-size:13px;font-weight:500;color:var(--fg-2);margin:0 0 .25rem}
input{width:100%;font-family:inherit;font-size:16px;min-height:40px;padding:6px 10px;border:1px solid var(--line);border-radius:6px;background:var(--bg);color:inherit;margin:0 0 1rem}
button{font:inherit;font-weight:600;min-height:40px;padding:0 16px;border:1px solid var(--key);border-radius:6px;background:var(--key);color:#fff;cursor:pointer}
button.quiet{background:var(--bg);border-color:var(--line);color:inherit}td button{min-height:28px;padding:0 10px}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.hint{font-size:13px;color:var(--fg-2)}.links{margin-top:1.5rem;color:var(--fg-2)}
.problem{background:var(--bad-soft);color:var(--bad);padding:8px 12px;border-radius:6px}
.notice{background:var(--good-soft);padding:8px 12px;border-radius:6px}
table{width:100%;border-collapse:collapse;font-size:13px}td,th{text-align:left;padding:6px 8px 6px 0;border-bottom:1px solid var(--line);vertical-align:middle}th{font-weight:500;color:var(--fg-2)}
td form{margin:0}td:not(:first-child){white-space:nowrap}a{color:var(--accent)}`;

const LOGO =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 7c2-2 4-2 6 0s4 2 6 0 4-2 6 0M2 12h20M6 12v6M12 12v6M18 12v6"/></svg>';

/** Only this style sheet, and forms to the service itself; everything else is forbidden. */
const POLICY_HEADERS = reportedPolicy([
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for use between tags and in quoted attributes. */
export function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A complete page. `body` is HTML. */
export function page(title: string, body: string, { wide = false } = {}): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${text(title)} · Weir</title><style>${STYLE}</style></head>
<body><main${wide ? ' class="wide"' : ''}><p class="brand">${LOGO}Weir</p>${body}</main></body></html>
`;
}

/**
 * Sets the headers of a page. The URL of a page may contain a token, so it is not sent to other sites. It is sent to this one, because
 * with `no-referrer` browsers would send `Origin: null` with the page's own form.
 */
export function asPage(reply: FastifyReply, status: number, html: string): string {
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers(POLICY_HEADERS)
    .header('referrer-policy', 'same-origin')
    .header('x-robots-tag', 'noindex');
  return html;
}
