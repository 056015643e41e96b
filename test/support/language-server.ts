import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

/** The YAML language server, spoken to over stdio as an editor does (Language Server Protocol 3.17). */
export class LanguageServer {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly published = new Map<string, Diagnostic[]>();
  private readonly listeners = new Set<() => void>();
  private buffer = Buffer.alloc(0);
  private nextId = 1;

  constructor() {
    const home = createRequire(import.meta.url).resolve('yaml-language-server/package.json');
    const program = home.replace(/package\.json$/, 'bin/yaml-language-server');
    this.child = spawn(process.execPath, [program, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdout.on('data', (chunk: Buffer) => this.take(chunk));
  }

  /** Starts a session; each file names its schema in its first line. */
  async start(rootUri: string): Promise<void> {
    const capabilities = {
      textDocument: {
        completion: { completionItem: { documentationFormat: ['markdown'], snippetSupport: true } },
        hover: { contentFormat: ['markdown'] },
        publishDiagnostics: {},
      },
      workspace: { configuration: true },
    };
    await this.request('initialize', { processId: process.pid, rootUri, capabilities, workspaceFolders: null });
    this.notify('initialized', {});
  }

  open(uri: string, text: string): void {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } });
  }

  async completions(uri: string, line: number, character: number): Promise<string[]> {
    const result = await this.request('textDocument/completion', {
      textDocument: { uri },
      position: { line, character },
    });
    const items = Array.isArray(result) ? result : (result as { items: unknown[] }).items;
    return (items as { label: string }[]).map(({ label }) => label);
  }

  async hover(uri: string, line: number, character: number): Promise<string> {
    const result = await this.request('textDocument/hover', { textDocument: { uri }, position: { line, character } });
    return JSON.stringify((result as { contents?: unknown } | null)?.contents ?? '');
  }

  /** Waits for the next diagnostics of a file that satisfy a condition. */
  async diagnostics(uri: string, until: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]> {
    for (;;) {
      const found = this.published.get(uri);
      if (found !== undefined && until(found)) return found;
      await new Promise<void>((resolve) => this.listeners.add(resolve));
    }
  }

  stop(): void {
    this.child.kill();
  }

  private async request(method: string, params: unknown): Promise<unknown> {
    const id = this.nextId++;
    const answer = new Promise<Message>((resolve) => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  private notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  private send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  private take(chunk: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const end = this.buffer.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.buffer.subarray(0, end).toString())?.[1]);
      if (this.buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.buffer.subarray(end + 4, end + 4 + length).toString()) as Message;
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.handle(message);
    }
  }

  private handle(message: Message): void {
    if (message.id !== undefined && message.method === undefined) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    } else if (message.id !== undefined) this.answer(message.id, message);
    else if (message.method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = message.params as { uri: string; diagnostics: Diagnostic[] };
      this.published.set(uri, diagnostics);
      for (const listener of this.listeners) listener();
      this.listeners.clear();
    }
  }

  /** Answers requests for settings: the server validates, completes and explains, and uses no network. */
  private answer(id: number, { method, params }: Message): void {
    const yaml = { validate: true, completion: true, hover: true, schemaStore: { enable: false }, yamlVersion: '1.2' };
    const items = method === 'workspace/configuration' ? (params as { items: { section?: string }[] }).items : [];
    const result = items.map(({ section }) => (section === 'yaml' ? yaml : null));
    this.send({ id, result: method === 'workspace/configuration' ? result : null });
  }
}
