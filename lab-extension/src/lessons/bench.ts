/** The kernel of a reader: started when something is run, on the device that is chosen. */

import type { Kernel, KernelMessage, ServiceManager } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import { calling, shownBy } from '../kernels';

export type Future = Kernel.IShellFuture<
  KernelMessage.IExecuteRequestMsg,
  KernelMessage.IExecuteReplyMsg
>;

export type BenchState = 'none' | 'starting' | 'busy' | 'idle' | 'dead';

export class Bench {
  constructor(
    private services: ServiceManager.IManager,
    private script: (name: string) => Promise<string>
  ) {}

  /** Of the kernelspec. */
  choice = '';
  state: BenchState = 'none';

  get stateChanged(): ISignal<this, BenchState> {
    return this._stateChanged;
  }

  /** How many snippets the kernel has run: they are gone with it. */
  runs = 0;

  /** Another device: the kernel that was there ends. */
  async choose(name: string): Promise<void> {
    this.choice = name;
    await this.stop();
  }

  execute(code: string): Promise<Future> {
    return this.begun().then(kernel => {
      this.runs++;
      if (this.state === 'dead') {
        this.become('idle');
      }
      return kernel.requestExecute({ code, stop_on_error: true, allow_stdin: false });
    });
  }

  /** Texts that run one after another in a namespace of their own. */
  async program(parts: [string, string][], files: Record<string, string> = {}): Promise<Future> {
    return this.execute(calling(await this.script('lesson'), 'run', parts, files));
  }

  async interrupt(): Promise<void> {
    await this.kernel?.interrupt();
  }

  async restart(): Promise<void> {
    if (this.kernel) {
      this.runs = 0;
      this.become('starting');
      await this.kernel.restart();
      await this.begin(this.kernel);
    }
  }

  async stop(): Promise<void> {
    const kernel = this.kernel;
    this.kernel = null;
    this.starting = null;
    this.runs = 0;
    this.become('none');
    if (kernel && !kernel.isDisposed) {
      await kernel.shutdown().catch(() => undefined);
    }
  }

  private begun(): Promise<Kernel.IKernelConnection> {
    this.starting ??= this.start().catch(error => {
      this.starting = null;
      this.become('none');
      throw error;
    });
    return this.starting;
  }

  private async start(): Promise<Kernel.IKernelConnection> {
    this.become('starting');
    const kernel = await this.services.kernels.startNew({ name: this.choice });
    this.kernel = kernel;
    this.runs = 0;
    kernel.statusChanged.connect((_, status) => {
      if (kernel !== this.kernel) {
        return;
      }
      if (status === 'dead' || status === 'autorestarting') {
        this.runs = 0;
        this.become('dead'); // until something is run again: what was lost has to be read
        this.starting = status === 'autorestarting' ? this.begunAnew(kernel) : null;
      } else if ((status === 'busy' || status === 'idle') && this.state !== 'dead') {
        this.become(status);
      }
    });
    await this.begin(kernel);
    return kernel;
  }

  private begunAnew(kernel: Kernel.IKernelConnection): Promise<Kernel.IKernelConnection> {
    const begun = this.begin(kernel).then(() => kernel);
    begun.catch(() => {
      this.starting = null;
    });
    return begun;
  }

  private async begin(kernel: Kernel.IKernelConnection): Promise<void> {
    await shownBy(kernel, calling(await this.script('lesson'), 'begin'), '');
  }

  private become(state: BenchState): void {
    if (state !== this.state) {
      this.state = state;
      this._stateChanged.emit(state);
    }
  }

  private kernel: Kernel.IKernelConnection | null = null;
  private starting: Promise<Kernel.IKernelConnection> | null = null;
  private _stateChanged = new Signal<this, BenchState>(this);
}
