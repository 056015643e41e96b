export * from './bundle.js';
export * from './deployment-api.js';
