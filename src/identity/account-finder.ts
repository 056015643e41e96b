import { Global, Module } from '@nestjs/common';
import { AccessModule, Sessions, sessionTokenOf } from '../access/index.js';
import { ACCOUNT_FINDER, type AccountFinder } from '../limits/index.js';

/** Tells the limits whose session a request carries, so that members are counted by account like tokens. */
@Global()
@Module({
  imports: [AccessModule],
  providers: [
    {
      provide: ACCOUNT_FINDER,
      inject: [Sessions],
      useFactory: (sessions: Sessions): AccountFinder => ({
        // To count a request is no use of its session: what the request is for decides that.
        async accountOf(request) {
          const token = sessionTokenOf(request);
          return token === undefined ? undefined : (await sessions.peek(token))?.accountId;
        },
      }),
    },
  ],
  exports: [ACCOUNT_FINDER],
})
export class AccountFinderModule {}
