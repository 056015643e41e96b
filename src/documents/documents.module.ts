import { Module, type OnApplicationShutdown, Inject } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { DocumentReader } from './document-reader.js';

/** Provides the reader of documents. */
@Module({
  providers: [
    {
      provide: DocumentReader,
      inject: [APP_CONFIG],
      useFactory: ({ documents }: AppConfig) => new DocumentReader(documents),
    },
  ],
  exports: [DocumentReader],
})
export class DocumentsModule implements OnApplicationShutdown {
  constructor(@Inject(DocumentReader) private readonly reader: DocumentReader) {}

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
