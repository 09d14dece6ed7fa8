/** Tells the server which commands of this client its lenses may name. */
import type { ClientCapabilities, FeatureState, StaticFeature } from "vscode-languageclient/node";

export const CHECK_GRAPH_BREAKS = "torchwise.checkGraphBreaks";

export class ClientCommands implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const known = capabilities.experimental as object | undefined;
    capabilities.experimental = { ...known, commands: { commands: [CHECK_GRAPH_BREAKS] } };
  }

  initialize(): void {}

  getState(): FeatureState {
    return { kind: "static" };
  }

  clear(): void {}
}
