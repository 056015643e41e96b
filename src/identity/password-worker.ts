/** The worker that estimates passwords: a hostile password takes hundreds of milliseconds. */
import { serveTasks } from '../workers/index.js';
import { estimate } from './password-estimate.js';

serveTasks({ estimate });
