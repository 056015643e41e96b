import { Controller, Delete, Get, Post } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import { Records } from './records.js';
import { assertRoutesRecord, UnrecordedRoute, type ServedRoute } from './unrecorded-routes.js';

@Controller('v1/things')
class Recording {
  @Get()
  list(): void {}

  @Post()
  @Records('app.created')
  create(): void {}

  @Delete(':id')
  @Records('app.archived')
  remove(): void {}
}

@Controller(['v1/other', '/v1/others/'])
class Forgetful {
  @Post('made')
  make(): void {}
}

const check = (served: readonly ServedRoute[], ...controllers: object[]) =>
  assertRoutesRecord(served, controllers, new MetadataScanner());

describe('routes that change something', () => {
  const declared = [
    { method: 'GET', url: '/v1/things' },
    { method: 'POST', url: '/v1/things' },
    { method: 'DELETE', url: '/v1/things/:id' },
  ];

  it('are accepted when each declares its actions', () => {
    expect(() => check(declared, Recording)).not.toThrow();
  });

  it('are refused when one declares nothing, with an error that names each path of that route', () => {
    const served = [...declared, { method: 'POST', url: '/v1/other/made' }, { method: 'POST', url: '/v1/others/made' }];
    expect(() => check(served, Recording, Forgetful)).toThrow(UnrecordedRoute);
    expect(() => check(served, Recording, Forgetful)).toThrow(/POST \/v1\/other\/made, POST \/v1\/others\/made$/);
  });

  it('are refused when they belong to no controller', () => {
    expect(() => check([...declared, { method: 'PUT', url: '/v1/raw' }], Recording)).toThrow(/PUT \/v1\/raw$/);
  });

  it('need no declaration when they are calls, webhooks or reports that are only counted', () => {
    const calls = ['/v1/events', '/v1/events::batch', '/proxy/*', '/webhooks/stripe', '/csp-reports'].map((url) => ({
      method: 'POST',
      url,
    }));
    expect(() => check(calls)).not.toThrow();
    expect(() => check([{ method: 'POST', url: '/v1/events/:id' }])).toThrow(UnrecordedRoute);
  });
});
