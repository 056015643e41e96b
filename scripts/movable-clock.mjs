/**
 * Loaded into the service before its program (`--import`) when pictures are taken: its clock stands as many milliseconds
 * in the past as its parent last said, so that the traffic of a minute lies on a whole day.
 */
let behindMs = Number(process.env.PICTURES_BEHIND_MS);
process.on('message', (message) => {
  behindMs = message.behindMs;
  process.send({ behindMs });
});
process.channel.unref();

const now = () => RealDate.now() - behindMs;
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
});
