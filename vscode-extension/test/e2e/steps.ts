/** The tests of a file that share one window, and follow upon each other in it. */
import { after, before, test } from "node:test";
import { guarded, type Host, type Options, quit, start, Workbench } from "./workbench";

export let host: Host;
export let code: Workbench;

export function share(options: Options = {}): void {
  before(async () => {
    host = await start(options);
    code = await Workbench.open(host.url);
  });
  after(async () => {
    await quit();
    host.stop();
  });
}

export function step(name: string, body: () => Promise<void>): void {
  test(
    name,
    { timeout: 300_000 },
    guarded(() => code, name.replace(/\W+/g, "-"), body),
  );
}
