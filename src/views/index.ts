/** Saved filters of pages, private or shared. It reads no events. */
export { ViewsModule } from './views.module.js';
