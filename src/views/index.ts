/** Filters of pages under a name, private or shared. It reads no events. */
export { ViewsModule } from './views.module.js';
