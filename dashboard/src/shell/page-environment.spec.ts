import { environmentNamed, pageInEnvironment } from './page-environment.ts';

describe('A page about one environment', () => {
  it.each([
    ['/policies/$env', '/policies/$env'],
    ['/policies/$env/history', '/policies/$env/history'],
    ['/policies/$env/rules/$rule', '/policies/$env/rules/$rule'],
    ['/budgets/$env/$id', '/budgets/$env/$id'],
  ])('at %s is opened for the chosen environment at %s', (route, to) => {
    expect(pageInEnvironment(route, 'development')).toMatchObject({ to, search: { env: 'development' } });
  });

  it('opens the list of files, because the name of a file contains its environment', () => {
    expect(pageInEnvironment('/policies/$env/files/$', 'staging').to).toBe('/policies/$env/files');
  });

  it('leaves out the deployments of the environment before', () => {
    const { search } = pageInEnvironment('/policies/$env/diff', 'staging');
    expect({ range: '7d', was: '3', is: '4', ...search }).toEqual({ range: '7d', env: 'staging' });
  });

  it('opens the list of all environments if all are chosen', () => {
    const history = pageInEnvironment('/policies/$env/history', 'all');
    expect(history).toMatchObject({ to: '/policies', search: { env: 'all' } });
    expect(pageInEnvironment('/budgets/$env/$id', 'all').to).toBe('/budgets');
  });

  it('shows production if its path names no environment', () => {
    expect(environmentNamed('staging')).toBe('staging');
    expect(environmentNamed('nowhere')).toBe('production');
  });
});

describe('A page about any environment', () => {
  it('stays open, and keeps its other parameters', () => {
    expect(pageInEnvironment('/events', 'staging')).toEqual({ to: '.', search: { env: 'staging' } });
    expect(pageInEnvironment('/policies/playground', 'staging').to).toBe('.');
  });

  it('has no parameter for production, the default', () => {
    expect(pageInEnvironment('/events', 'production').search).toEqual({ env: undefined });
  });
});
