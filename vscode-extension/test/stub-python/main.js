// What `@vscode/python-extension` asks of the real one, as far as Torchwise uses it.
const vscode = require("vscode");

exports.activate = () => {
  const nothing = () => ({ dispose() {} });
  const chosen = () => vscode.workspace.getConfiguration("python").get("defaultInterpreterPath");
  return {
    ready: Promise.resolve(),
    environments: {
      known: [],
      onDidChangeActiveEnvironmentPath: nothing,
      onDidChangeEnvironments: nothing,
      onDidEnvironmentVariablesChange: nothing,
      getActiveEnvironmentPath: () => ({ id: chosen(), path: chosen() }),
      resolveEnvironment: async ({ path }) => ({ id: path, path, executable: { uri: vscode.Uri.file(path) } }),
    },
  };
};
