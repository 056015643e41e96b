/** Who asks, and what this service is: the first thing that a client wants to know. */
export { MeModule } from './me.module.js';
