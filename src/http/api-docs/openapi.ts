import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { namedSchemas } from '../schema-routes.js';
import { callPaths } from './call-paths.js';
import { withCommonAnswers } from './common-answers.js';
import { withPortablePatterns } from './portable-patterns.js';
import { proxyPaths } from './proxy-paths.js';

/** The OpenAPI document, generated at its first request, so that start-up does not wait for documentation. */
export class ApiDocument {
  private make: (() => OpenAPIObject) | undefined;
  private made: OpenAPIObject | undefined;

  /** Sets the application to be described; called once it has been created. */
  describe(app: INestApplication, baseUrl: string, version: string): void {
    this.make = () => {
      const document = SwaggerModule.createDocument(app, skeleton(baseUrl, version));
      const paths = { ...withCommonAnswers(document.paths), ...callPaths(), ...proxyPaths() };
      const schemas = { ...document.components?.schemas, ...namedSchemas() };
      return withPortablePatterns({
        ...document,
        paths,
        components: { ...document.components, schemas },
      });
    };
  }

  /** @throws Error before `describe` */
  get document(): OpenAPIObject {
    this.made ??= this.make?.();
    if (this.made === undefined) throw new Error('no application has been described yet');
    return this.made;
  }
}

function skeleton(baseUrl: string, version: string): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setTitle('Weir')
    .setDescription('Guardrails and a durable log for calls to AI providers.')
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(baseUrl)
    .addTag('events', 'Submit calls to be judged, and read recorded events.')
    .addTag('policies', 'Deploy policies, and see what each replica runs.')
    .addTag('calls', 'Judge calls that clients send to providers themselves, and record how they end.')
    .addTag('proxy', "The providers' own routes; calls are judged before they are forwarded.")
    .addTag('access', 'Apps, keys, management tokens, and the audit log.')
    .addTag('identity', 'Sign-up, sign-in, sessions, passwords and addresses.')
    .addTag('operations', 'For operators of the service.')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'Weir key',
        description: 'Key of an app: `sk_live_…` or `sk_test_…`.',
      },
      'service_key',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-Service-Key',
        description: 'Key of an app, in addition to the provider’s key.',
      },
      'proxy_key',
    )
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'Weir token',
        description: 'Management token: `wt_live_…`.',
      },
      'management_token',
    )
    .addCookieAuth(
      '__Host-weir_session',
      { type: 'apiKey', in: 'cookie', description: 'Session of a member who has signed in.' },
      'session',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'Stripe-Signature', description: "Stripe's signature of the body." },
      'stripe_signature',
    )
    .build();
}
