import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiResponse } from '@nestjs/swagger';

/** Says in the OpenAPI document who is let in by `ManagementAccess`: holders of a token, and members. For controllers. */
export function ApiManagers(): ClassDecorator {
  return applyDecorators(
    ApiBearerAuth('management_token'),
    ApiCookieAuth('session'),
    ApiResponse({ status: 401, description: 'No valid management token or session.' }),
  );
}
