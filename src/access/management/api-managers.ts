/**
 * The routes that manage apps, keys and tokens, and the route of the audit log. Every change is recorded in the
 * transaction that makes it.
 */
import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiResponse } from '@nestjs/swagger';

/** Documents in OpenAPI who may use a controller with `ManagementAccess`: holders of a token, and members. */
export function ApiManagers(): ClassDecorator {
  return applyDecorators(
    ApiBearerAuth('management_token'),
    ApiCookieAuth('session'),
    ApiResponse({ status: 401, description: 'No valid management token or session.' }),
  );
}
