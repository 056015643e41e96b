/**
 * Imported before anything else, by the service and by the command. The rule engine prints the values of facts if `DEBUG` contains its
 * name, and it checks that only once, when it is loaded. Facts can contain texts of callers, so this switch is removed.
 */
const { DEBUG } = process.env;
if (DEBUG !== undefined) {
  const kept = DEBUG.split(/[\s,]+/).filter((name) => !name.includes('json-rules-engine'));
  process.env['DEBUG'] = kept.join(',');
}
