/** The page about the API: the OpenAPI document rendered by Redoc, preceded by authentication and the errors. */
import { createHash } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorType } from '../../core/index.js';
import { reportedPolicy } from '../csp-reporting.js';
import { ERROR_STATUS } from '../error-status.js';
import { text } from '../pages/layout.js';
import { retryMayHelp } from '../retry-help.js';

type SecurityScheme = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>[string];

const STYLE = `
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff}
details{padding:.5rem 1.5rem;border-bottom:1px solid #d0d5db}summary{cursor:pointer;font-weight:600}
code{font:.9em ui-monospace,monospace}p{max-width:60rem}
table{border-collapse:collapse;font-size:.93rem}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #d0d5db}
:target{outline:2px solid #0b626c;outline-offset:2px}`;

/**
 * This page has its own content security policy, because only this page runs third-party code: scripts and data are allowed from this
 * service only. Redoc adds styles at run time, and searches in a worker.
 */
export const DOCS_POLICY_HEADERS = reportedPolicy([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]);

/** @param script the content of Redoc's script, if it was built: the script's URL contains its hash */
export function docsPage(document: OpenAPIObject, script: Buffer | undefined): string {
  const { title, version } = document.info;
  const digest = script === undefined ? '' : createHash('sha256').update(script).digest('hex').slice(0, 12);
  const redoc =
    script === undefined
      ? '<p>The rest of this page could not be built. The API works. Run <code>npm run build</code>.</p>'
      : `<redoc spec-url="docs/openapi.json" hide-download-button></redoc><script src="docs/redoc.js?${digest}"></script>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text(title)} API</title><style>${STYLE}</style></head><body>
<details id="authentication"><summary>Authentication</summary>${authentication(document)}</details>
<details id="errors"><summary>Errors</summary>${errors()}</details>
<noscript><p>The routes are shown by a script. <a href="openapi.json">openapi.json</a> describes version ${text(version)} for programs.</p></noscript>
${redoc}
</body></html>
`;
}

function authentication({ components }: OpenAPIObject): string {
  const rows = Object.entries(components?.securitySchemes ?? {}).map(([name, scheme]) => {
    const description = 'description' in scheme ? (scheme.description ?? '') : '';
    return `<tr><td><code>${text(name)}</code></td><td><code>${text(wayIn(scheme))}</code></td><td>${prose(description)}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

/** The place of a credential in a request. */
function wayIn(scheme: SecurityScheme): string {
  if (!('type' in scheme)) return '';
  if (scheme.type !== 'apiKey') return 'Authorization: Bearer …';
  return scheme.in === 'cookie' ? `Cookie: ${scheme.name}=…` : `${scheme.name}: …`;
}

function errors(): string {
  const rows = (Object.keys(ERROR_CATALOGUE) as ErrorType[]).map((type) => {
    const { title, hint } = ERROR_CATALOGUE[type];
    const retry = retryMayHelp(type) ? 'yes' : 'no';
    return `<tr id="error-${type}"><td>${ERROR_STATUS[type]}</td><td><code>${type}</code></td><td>${prose(title)}. ${prose(hint)}</td><td>${retry}</td></tr>`;
  });
  return `<p>${prose('Every error is `{"error": {"type", "message", "trace_id", "details"?, "decision"?, "violations"?, "event_id"?, "docs"}}`; `trace_id` equals the `x-request-id` header. Status 400 always means that a rule or a budget refused the call; malformed requests get 422.')}</p>
<table><tr><th>Status</th><th>Type</th><th>Meaning</th><th>Retry?</th></tr>${rows.join('')}</table>`;
}

/** Converts text with `code` in backticks to HTML. */
function prose(value: string): string {
  return text(value).replace(/`([^`]+)`/g, '<code>$1</code>');
}
