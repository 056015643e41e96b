/** Pages about one environment have its name in their path, which counts before the environment that links keep. */
import { ENVIRONMENTS, type Environment } from '../api/types.ts';

export type Chosen = Environment | 'all';

/** The environment that a path names. A name that does not exist stands for production, whose data such a page shows. */
export const environmentNamed = (name: string): Environment =>
  ENVIRONMENTS.find((each) => each === name) ?? 'production';

/** The parameter of links for an environment: production is the default. */
export const linkedEnvironment = (chosen: Chosen): Chosen | undefined => (chosen === 'production' ? undefined : chosen);

/** The parameters of a link to a page about one environment, which stays chosen on the pages after it. */
export const inEnvironment = (name: string): never => ({ env: linkedEnvironment(environmentNamed(name)) }) as never;

/** Parameters of a page that name deployments, files or windows of budgets, which another environment does not have. */
const OF_ONE_ENVIRONMENT = ['was', 'is', 'than', 'deployment', 'window'];

interface Target {
  /** The route to open; `.` is the same page. */
  readonly to: string;
  /** The parameters of the URL to change. */
  readonly search: Readonly<Record<string, string | undefined>>;
}

/**
 * The page to open when an environment is chosen: the same page, or for all environments the list that has them.
 *
 * @param route of the current page, such as `/policies/$env/history`
 */
export function pageInEnvironment(route: string, chosen: Chosen): Target {
  const env = linkedEnvironment(chosen);
  const [, area = '', param] = route.split('/');
  if (param !== '$env') return { to: '.', search: { env } };
  const search = { ...Object.fromEntries(OF_ONE_ENVIRONMENT.map((name) => [name, undefined])), env };
  // The name of a file contains its environment, so the list of files is opened.
  return { to: chosen === 'all' ? `/${area}` : route.replace(/\/\$$/, ''), search };
}
