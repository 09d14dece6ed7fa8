// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Connection, RpcError } from '../../src/rpc';

class FakeSocket {
  static made: FakeSocket[] = [];
  readyState = 1;
  sent: string[] = [];
  onopen: () => void = () => {};
  onclose: () => void = () => {};
  onmessage: (event: { data: string }) => void = () => {};
  constructor() {
    FakeSocket.made.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
    this.onclose();
  }
  receive(message: object) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.made = [];
});
afterEach(() => void vi.useRealTimers());

function connected() {
  const heard: string[] = [];
  const connection = new Connection(() => new FakeSocket() as unknown as WebSocket, {
    opened: () => heard.push('opened'),
    closed: () => heard.push('closed'),
    notified: method => heard.push(method)
  });
  const socket = FakeSocket.made[0];
  socket.onopen();
  return { connection, socket, heard };
}

test('each answer finds its question', async () => {
  const { connection, socket } = connected();
  const [first, second] = [connection.request('a', {}), connection.request('b', {})];
  socket.receive({ id: 2, result: 'of b' });
  socket.receive({ id: 1, error: { code: -32801, message: 'changed' } });
  expect(await second).toBe('of b');
  await expect(first).rejects.toBeInstanceOf(RpcError);
});

test('a connection that closes is opened again, later and later, and open questions fail', async () => {
  const { connection, socket, heard } = connected();
  const asked = connection.request('a', {});
  socket.close();
  await expect(asked).rejects.toThrow('closed');
  vi.advanceTimersByTime(300);
  expect(FakeSocket.made).toHaveLength(2);
  FakeSocket.made[1].close();
  vi.advanceTimersByTime(300);
  expect(FakeSocket.made).toHaveLength(2);
  vi.advanceTimersByTime(300);
  expect(FakeSocket.made).toHaveLength(3);
  expect(heard).toEqual(['opened', 'closed', 'closed']);
});

test('once it is disposed it stays closed', () => {
  const { connection } = connected();
  connection.dispose();
  vi.advanceTimersByTime(60000);
  expect(FakeSocket.made).toHaveLength(1);
});
