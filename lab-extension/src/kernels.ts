/** Scripts of ours in a kernel: they run in a namespace of their own, and leave nothing in the user's. */

import type { Kernel, KernelMessage } from '@jupyterlab/services';

/** As a literal of Python: scripts and sources hold no lone surrogates. */
export function literal(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Code that calls `name(globals(), *values)` of a script; values arrive as what JSON makes of them. */
export function calling(script: string, name: string, ...values: unknown[]): string {
  const given = values.map(value => `, json.loads(${literal(JSON.stringify(value))})`).join('');
  return [
    '(lambda space, script, json: (exec(script, space), space[',
    literal(name),
    `](globals()${given})))({"__name__": "torchwise_inside"}, ${literal(script)}, __import__("json"))[1]`
  ].join('');
}

/** What a script shows under a type of its own; null where it showed none. Raises what the kernel raised. */
export async function shownBy<Result>(
  kernel: Kernel.IKernelConnection,
  code: string,
  type: string
): Promise<Result | null> {
  let shown: Result | null = null;
  const future = kernel.requestExecute({
    code,
    silent: true,
    store_history: false,
    allow_stdin: false
  });
  future.onIOPub = (message: KernelMessage.IIOPubMessage) => {
    const content = message.content as { data?: Record<string, unknown> };
    if (message.header.msg_type === 'display_data' && content.data && type in content.data) {
      shown = content.data[type] as Result;
    }
  };
  const reply = await future.done;
  if (reply.content.status === 'error') {
    throw new Error(`${reply.content.ename}: ${reply.content.evalue}`);
  }
  return shown;
}
