/** The worker in which passwords are judged: a hostile one takes hundreds of milliseconds. */
import { serveTasks } from '../workers/index.js';
import { estimate } from './password-estimate.js';

serveTasks({ estimate });
