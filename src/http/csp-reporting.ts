/** Where browsers send reports. */
export const CSP_REPORTS_PATH = '/csp-reports';
const ENDPOINT = 'csp';

/**
 * The headers of a page with a content security policy whose violations browsers report. Browsers that know `report-to` ignore
 * `report-uri`; the others need it.
 * https://www.w3.org/TR/CSP3/#directives-reporting
 *
 * @param directives the policy, without its directives for reports
 */
export function reportedPolicy(directives: readonly string[]) {
  return {
    'content-security-policy': [...directives, `report-to ${ENDPOINT}`, `report-uri ${CSP_REPORTS_PATH}`].join('; '),
    'reporting-endpoints': `${ENDPOINT}="${CSP_REPORTS_PATH}"`,
  } as const;
}
