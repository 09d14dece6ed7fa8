/** The routes of our server extension. */

import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

export interface IInfo {
  version: string;
  /** Null where files are not on a disk. */
  rootUri: string | null;
  /** Null where kernels run elsewhere. */
  cudaDevices: number | null;
}

type Settings = ServerConnection.ISettings;

export function openSocket(settings: Settings): WebSocket {
  let url = URLExt.join(settings.wsUrl, 'torchwise', 'lsp');
  if (settings.appendToken && settings.token) {
    url += `?token=${encodeURIComponent(settings.token)}`;
  }
  return new settings.WebSocket(url);
}

export function fetchInfo(settings: Settings): Promise<IInfo> {
  return fetchJson<IInfo>(settings, 'info');
}

export async function fetchScript(settings: Settings, name: string): Promise<string> {
  const { text } = await fetchJson<{ text: string }>(settings, 'inside', name);
  return text;
}

async function fetchJson<Result>(settings: Settings, ...path: string[]): Promise<Result> {
  const url = URLExt.join(settings.baseUrl, 'torchwise', ...path);
  const response = await ServerConnection.makeRequest(url, {}, settings);
  if (!response.ok) {
    throw new ServerConnection.ResponseError(response);
  }
  return (await response.json()) as Result;
}
