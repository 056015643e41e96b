/**
 * Imported before anything else, by the service and by the command. The rule engine prints the values of facts when `DEBUG` names it, and it looks once,
 * when it is loaded: facts can hold what callers wrote, so that switch does not exist here.
 */
const { DEBUG } = process.env;
if (DEBUG !== undefined) {
  const kept = DEBUG.split(/[\s,]+/).filter((name) => !name.includes('json-rules-engine'));
  process.env['DEBUG'] = kept.join(',');
}
