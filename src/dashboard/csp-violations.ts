/**
 * Reads what may be counted of browsers' reports about violations of the content security policy: the directive and the group of pages,
 * both from closed sets. Everything else (addresses, samples of scripts, referrers) is ignored.
 * https://www.w3.org/TR/CSP3/#reporting
 */
import { NOT_OF_THE_DASHBOARD } from './dashboard-files.js';

/** The maximum number of reports of one body that are counted. */
const MAX_REPORTS = 20;

/** https://www.w3.org/TR/CSP3/#csp-directives, and those of Trusted Types. */
const DIRECTIVES: ReadonlySet<string> = new Set([
  ...['default-src', 'child-src', 'connect-src', 'font-src', 'frame-src', 'img-src', 'manifest-src', 'media-src'],
  ...['object-src', 'script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem'],
  ...['style-src-attr', 'worker-src', 'base-uri', 'sandbox', 'form-action', 'frame-ancestors'],
  ...['require-trusted-types-for', 'trusted-types'],
]);

/** A violation as it is counted. */
export interface CspViolation {
  readonly page: 'dashboard' | 'auth' | 'docs' | 'other';
  /** A directive of the standards, or `other`. */
  readonly directive: string;
}

/**
 * The violations in a body of `application/reports+json` or `application/csp-report`; reports about anything else are omitted.
 *
 * @throws SyntaxError if it is not JSON
 */
export function violationsIn(text: string): readonly CspViolation[] {
  const body: unknown = JSON.parse(text);
  const reports: readonly unknown[] = Array.isArray(body) ? body : [body];
  return reports.slice(0, MAX_REPORTS).flatMap((report) => violationOf(report) ?? []);
}

function violationOf(report: unknown): CspViolation | undefined {
  const older = valueAt(report, 'csp-report');
  if (older !== undefined) {
    const directive = valueAt(older, 'effective-directive') ?? valueAt(older, 'violated-directive');
    return { page: pageOf(valueAt(older, 'document-uri')), directive: directiveOf(directive) };
  }
  if (valueAt(report, 'type') !== 'csp-violation') return undefined;
  const body = valueAt(report, 'body');
  return { page: pageOf(valueAt(body, 'documentURL')), directive: directiveOf(valueAt(body, 'effectiveDirective')) };
}

function valueAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** In reports of older browsers, the sources of the directive follow its name. */
function directiveOf(reported: unknown): string {
  const [name = ''] = typeof reported === 'string' ? reported.trim().toLowerCase().split(/\s/, 1) : [];
  return DIRECTIVES.has(name) ? name : 'other';
}

function pageOf(address: unknown): CspViolation['page'] {
  if (typeof address !== 'string' || !URL.canParse(address)) return 'other';
  const { protocol, pathname } = new URL(address);
  if (!/^https?:$/.test(protocol)) return 'other';
  if (/^\/auth(?:\/|$)/i.test(pathname)) return 'auth';
  if (/^\/docs(?:\/|$)/i.test(pathname)) return 'docs';
  return NOT_OF_THE_DASHBOARD.test(pathname) ? 'other' : 'dashboard';
}
