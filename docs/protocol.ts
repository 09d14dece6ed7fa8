// made by `make gen` from the messages.py of server/torchwise/run and lessons; not to be edited.

/** A device that a kernel can be had on. */
export interface Device {
  /** what `device` of a run request takes: `cpu`, `cuda:0`, `mps`, `xpu:0` */
  id: string;
  kind: "cpu" | "cuda" | "mps" | "xpu";
  /** as its maker calls it */
  name: string;
  /** bytes */
  memoryFree: number | null;
  /** bytes */
  memoryTotal: number | null;
}

/** Why something cannot be had, and what to do about it. */
export interface Problem {
  about: "python" | "torch" | "kernel" | "cuda" | "mps" | "xpu" | "server";
  what: string;
  remedy: string | null;
}

export interface DevicesRequest {
  /** a Python to ask; the workspace's where none is named */
  interpreter?: string | null;
  /** a Jupyter server to ask instead */
  url?: string | null;
  /** of that server, from the editor's secret storage */
  token?: string | null;
  /** ask again, although the answer is known */
  fresh?: boolean;
}

/** What an interpreter, or a kernel of a server, has. */
export interface Devices {
  /** the interpreter's path, or the server's URL */
  where: string;
  python: string | null;
  /** its version; null where it cannot be imported */
  torch: string | null;
  /** `cpu`, `cuda 12.6`, `rocm 6.2` ... */
  builtFor: string | null;
  /** the version of ipykernel; null where there is none */
  kernel: string | null;
  devices: Device[];
  problems: Problem[];
}

/** Text that was printed; it comes in pieces. */
export interface Stream {
  kind: "stream";
  name: "stdout" | "stderr";
  text: string;
}

/** A value or a picture, in its richest form that is safe to show, and as plain text. */
export interface Display {
  kind: "display";
  format: "png" | "jpeg" | "svg" | "html" | "markdown" | "latex" | "text";
  /** base64 of a picture, otherwise text. `html` and `svg` are clean of scripts and of what loads from elsewhere; HTML within `markdown` is not, and is not to be rendered */
  content: string;
  /** the plain form */
  text: string;
  /** the value of the snippet's last line */
  result: boolean;
  displayId: string | null;
  /** takes the place of what was shown under this `displayId` */
  update: boolean;
}

/** A place in a traceback; the outermost comes first. */
export interface Frame {
  /** the `name` of the snippet that it is in */
  snippet: string | null;
  /** the file that it is in, if it is in none of the snippets */
  path: string | null;
  /** from 1; in a snippet it counts from `firstRow` of its request */
  row: number | null;
  function: string | null;
  /** the source line */
  line: string;
}

/** An exception that ended the snippet. */
export interface Failure {
  kind: "error";
  /** its class */
  name: string;
  message: string;
  frames: Frame[];
  /** the traceback without colours and without the frames of kernel and library */
  text: string;
}

/** What is said by us and not by the code. */
export interface Notice {
  kind: "notice";
  reason: "output-limit" | "connection" | "output-lost";
  text: string;
}

/** What was shown so far goes. */
export interface Cleared {
  kind: "clear";
  /** not before the next output comes */
  wait: boolean;
}

/** Sent while a snippet runs. */
export interface OutputTold {
  run: string;
  output: Stream | Display | Failure | Notice | Cleared;
}

export interface RunRequest {
  /** a name of the client's for this run; each output carries it */
  run: string;
  code: string;
  /** a path, or lesson and snippet: what tracebacks call it */
  name?: string;
  /** the row in `name` that the code begins at */
  firstRow?: number;
  /** `cpu`, `cuda:0`, `mps`, `xpu:0`, or `https://server#cuda:0` */
  device?: string;
  interpreter?: string | null;
  /** of the server, from the editor's secret storage */
  token?: string | null;
  /** its `__file__`; modules beside it can be imported */
  file?: string | null;
  /** to run in; lessons run in a scratch folder */
  folder?: string | null;
  /** a kernel where `device` is defined, in a scratch folder */
  lesson?: boolean;
  /** the most that it may take */
  timeS?: number | null;
  /** the most that it may print */
  outputBytes?: number | null;
}

/** What went with a kernel that ended. */
export interface Lost {
  /** that had run in it, oldest first */
  snippets: string[];
  /** variables that it held */
  names: string[];
}

/** How a run ended. `failed`: by an exception. `died`: with its kernel, which is being replaced. `disconnected`: the server cannot be reached any more. `refused`: the workspace is not trusted. `unavailable`: there is no such kernel. `stopped`: the kernel was stopped or restarted by the user. */
export interface RunResult {
  run: string;
  ended: "done" | "failed" | "interrupted" | "timed-out" | "died" | "disconnected" | "refused" | "unavailable" | "stopped";
  seconds: number;
  /** its id */
  kernel: string | null;
  message: string | null;
  remedy: string | null;
  lost: Lost | null;
}

export interface InterruptRequest {
  run: string;
}

export interface KernelRequest {
  /** its id */
  kernel: string;
}

/** Whether there was such a run or kernel. */
export interface Done {
  done: boolean;
}

/** Sent whenever a kernel begins to be something else. */
export interface KernelTold {
  /** its id */
  kernel: string;
  device: string;
  state: "starting" | "idle" | "busy" | "died" | "stopped";
  /** the interpreter, or the server's URL */
  where: string;
  lesson: boolean;
  /** why it died or was stopped */
  message: string | null;
  lost: Lost | null;
}

export interface Kernels {
  kernels: KernelTold[];
}

/** Runs a file and writes down what its assignments bound. */
export interface TraceRequest {
  path: string;
  interpreter?: string | null;
  device?: string;
  timeS?: number | null;
}

/** A tensor that an assignment bound; one row for each form that it had. */
export interface TracedRow {
  /** of the statement, from 1 */
  row: number;
  name: string;
  shape: number[];
  dtype: string;
  device: string;
  requiresGrad: boolean;
}

export interface Traced {
  rows: TracedRow[];
  /** the exception that ended the file */
  error: string | null;
  /** why it could not be run */
  problem: Problem | null;
}

export interface CompileInput {
  name: string;
  /** of a tensor; null for a plain value */
  shape: number[] | null;
  dtype: string | null;
  value: boolean | number | number | string | null;
}

/** Asks Dynamo what it does with a function or module of a file. */
export interface CompileRequest {
  path: string;
  /** a function, a class or an object at the top of the file; `Class.method`, too */
  entry: string;
  /** arguments, as in a call: `torch.randn(2, 3), scale=2` */
  call?: string | null;
  /** arguments by their form, where there is no call */
  inputs?: CompileInput[];
  interpreter?: string | null;
  device?: string;
  timeS?: number | null;
}

/** Where a graph ends. */
export interface CompileBreak {
  row: number | null;
  /** where it is not the file that was asked about */
  path: string | null;
  reason: string;
  explanation: string;
  hints: string[];
  /** the whole function is run without the compiler */
  skipped: boolean;
  /** rows of the calls that lead there, outermost first */
  via: number[];
}

/** A function that was compiled again: with the same inputs, or with a larger first axis. */
export interface Recompile {
  function: string;
  row: number | null;
  reasons: string[];
}

export interface CompileReport {
  entry: string;
  /** what it was called with */
  inputs: string[];
  graphs: number;
  operations: number;
  breaks: CompileBreak[];
  /** what has to hold for the compiled code to be used again */
  guards: string[];
  recompiles: Recompile[];
  /** what the code raised, or that it took too long */
  error: string | null;
  /** why it could not be called */
  problem: Problem | null;
}

/** Sent by the client: nothing is run before the workspace is trusted. */
export interface TrustTold {
  trusted: boolean;
}

/** A heading of a lesson. */
export interface SectionRow {
  anchor: string;
  title: string;
  /** 2 for a section, 3 for what is below one, as exercises are */
  level: number;
  read: boolean;
}

export interface LessonRow {
  /** `02-tensors/strides` */
  id: string;
  title: string;
  goal: string;
  minutes: number;
  /** ids of lessons to have read */
  needs: string[];
  sections: SectionRow[];
  snippets: number;
  exercises: number;
  done: boolean;
}

export interface ModuleRow {
  /** `02-tensors` */
  id: string;
  title: string;
  goal: string;
  lessons: LessonRow[];
}

export interface LessonList {
  modules: ModuleRow[];
}

export interface LessonRequest {
  id: string;
}

/** A cell of a lesson. Ordinary snippets are one program in their order. `cuda` needs that device, and the `shadow` that names it teaches the same without. `start`, `solution` and `check` belong to an exercise, which stands beside that program: a start or solution is a program of its own, and the check runs after either, in the same namespace. */
export interface CellShown {
  kind: "markdown" | "code";
  role: "text" | "snippet" | "cuda" | "shadow" | "start" | "solution" | "check";
  source: string;
  /** of its first line in the lesson's file, from 1 */
  row: number;
  /** of the section that it stands in */
  anchor: string;
  /** `torchwise run LESSON#NAME` runs it */
  name: string | null;
  exercise: string | null;
  /** the name of the cell that it stands in for */
  shadows: string | null;
  /** `Class: part of the message`, where it is to fail */
  raises: string | null;
  /** rules that rightly speak up here */
  finds: string[];
}

export interface LessonShown {
  lesson: LessonRow;
  /** of its file, a notebook in MyST text */
  path: string;
  cells: CellShown[];
}

export interface SearchRequest {
  text: string;
  most?: number;
}

export interface Hit {
  lesson: string;
  anchor: string;
  title: string;
  /** plain text around what was found */
  excerpt: string;
}

export interface Hits {
  hits: Hit[];
}

/** Without `done` and `read` it only asks. */
export interface ProgressRequest {
  lesson: string;
  done?: boolean | null;
  /** the anchor of a section that was read */
  read?: string | null;
}

export interface Progress {
  lesson: string;
  done: boolean;
  /** anchors of sections */
  read: string[];
}

export interface RuleRequest {
  /** its name or its code */
  rule: string;
}

export interface RulePage {
  code: string;
  name: string;
  title: string;
  severity: "error" | "warning" | "hint";
  family: string;
  /** the whole page; it links to `lesson:ID#ANCHOR` */
  markdown: string;
  /** a program that has the fault */
  bad: string;
  /** the same without it */
  good: string;
  /** modules that both import, by file name */
  files: Record<string, string>;
  /** `02-tensors/strides#views` */
  lesson: string | null;
}

export interface NoteRequest {
  /** as it is called: `torch.Tensor.view`, `F.relu`, `nn.Linear` */
  symbol: string;
}

/** Without markdown, nothing is known of that symbol. */
export interface NoteShown {
  /** its full name */
  symbol: string;
  markdown: string | null;
  lesson: string | null;
}

export type Output = Stream | Display | Failure | Notice | Cleared;

export const commands = {
  devices: "torchwise.kernel.devices",
  run: "torchwise.kernel.run",
  interrupt: "torchwise.kernel.interrupt",
  restart: "torchwise.kernel.restart",
  stop: "torchwise.kernel.stop",
  list: "torchwise.kernel.list",
  compile: "torchwise.kernel.compile",
  trace: "torchwise.kernel.trace",
} as const;

export const lessonCommands = {
  list: "torchwise.lessons.list",
  show: "torchwise.lessons.show",
  search: "torchwise.lessons.search",
  progress: "torchwise.lessons.progress",
  rulePage: "torchwise.lessons.rulePage",
  note: "torchwise.lessons.note",
} as const;

/** command: [its request, its result] */
export interface Commands {
  "torchwise.kernel.devices": [DevicesRequest, Devices];
  "torchwise.kernel.run": [RunRequest, RunResult];
  "torchwise.kernel.interrupt": [InterruptRequest, Done];
  "torchwise.kernel.restart": [KernelRequest, Done];
  "torchwise.kernel.stop": [KernelRequest, Done];
  "torchwise.kernel.list": [null, Kernels];
  "torchwise.kernel.compile": [CompileRequest, CompileReport];
  "torchwise.kernel.trace": [TraceRequest, Traced];
  "torchwise.lessons.list": [null, LessonList];
  "torchwise.lessons.show": [LessonRequest, LessonShown];
  "torchwise.lessons.search": [SearchRequest, Hits];
  "torchwise.lessons.progress": [ProgressRequest, Progress];
  "torchwise.lessons.rulePage": [RuleRequest, RulePage];
  "torchwise.lessons.note": [NoteRequest, NoteShown];
}

/** method: its message */
export interface Notifications {
  "torchwise/output": OutputTold;
  "torchwise/kernel": KernelTold;
  "torchwise/trust": TrustTold;
}
