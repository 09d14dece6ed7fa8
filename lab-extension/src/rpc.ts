/**
 * JSON-RPC 2.0 over a websocket that is opened again whenever it closes.
 *
 * One frame is one message. Nothing is queued while it is closed: what is open is told anew.
 */

/** What the other side says by itself. */
export interface ITold {
  opened(): void;
  closed(): void;
  notified(method: string, params: unknown): void;
}

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string
  ) {
    super(message);
  }
}

interface IMessage {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

interface IWaiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 20000;

export class Connection {
  constructor(
    private open: () => WebSocket,
    private told: ITold
  ) {
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  request<Result>(method: string, params: unknown): Promise<Result> {
    if (!this.isOpen) {
      return Promise.reject(new Error('not connected'));
    }
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {
        resolve: resolve as (value: unknown) => void,
        reject
      });
      this.send({ id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    if (this.isOpen) {
      this.send({ method, params });
    }
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const socket = this.open();
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.told.opened();
    };
    socket.onmessage = event => this.receive(JSON.parse(String(event.data)) as IMessage);
    socket.onclose = () => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error('the connection was closed'));
      }
      this.waiting.clear();
      this.told.closed();
      if (!this.disposed) {
        this.timer = setTimeout(() => this.connect(), this.wait);
        this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
      }
    };
  }

  private send(message: IMessage): void {
    this.socket?.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  private receive(message: IMessage): void {
    if (message.method !== undefined) {
      this.told.notified(message.method, message.params);
      return;
    }
    const waiting = this.waiting.get(message.id ?? -1);
    this.waiting.delete(message.id ?? -1);
    if (message.error) {
      waiting?.reject(new RpcError(message.error.code, message.error.message));
    } else {
      waiting?.resolve(message.result);
    }
  }

  private socket: WebSocket | null = null;
  private waiting = new Map<number, IWaiting>();
  private count = 0;
  private wait = FIRST_WAIT_MS;
  private timer = 0;
  private disposed = false;
}
