import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { SavedViews } from './saved-views.js';
import { ViewsController } from './views.controller.js';

@Module({
  imports: [AccessModule, DatabaseModule],
  controllers: [ViewsController],
  providers: [
    {
      provide: SavedViews,
      inject: [Database, AdminAudit],
      useFactory: ({ sql }: Database, audit: AdminAudit) => new SavedViews(sql, audit),
    },
  ],
})
export class ViewsModule {}
