export * from './judgement.js';
export * from './judgement.module.js';
export * from './judgement.service.js';
