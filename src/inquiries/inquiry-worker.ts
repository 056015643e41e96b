/** A thread that answers questions about policies. Only `Inquiries` starts it. */
import { workerData } from 'node:worker_threads';
import { wholeCatalog } from '../core/index.js';
import { loadPlugins, SHIPPED_PLUGINS } from '../plugin-registry/index.js';
import { serveTasks } from '../workers/index.js';
import { Analyst } from './analyst.js';
import { hostHere } from './worker-host.js';
import type { InquiryData, Question, Questions } from './tasks.js';

const { packages } = workerData as InquiryData;
const analyst = new Analyst(await wholeCatalog(await loadPlugins({ shipped: SHIPPED_PLUGINS, packages })), hostHere());

const task =
  <Name extends Question>(name: Name) =>
  (question: Questions[Name]) =>
    analyst.answer(name, question);

serveTasks({
  rules: task('rules'),
  exceptions: task('exceptions'),
  explain: task('explain'),
  capture: task('capture'),
  diff: task('diff'),
  evaluate: task('evaluate'),
});
