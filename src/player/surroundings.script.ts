import type * as HlsLibrary from './hlsLibrary.js';

/** The file name of the module build's hls.js chunk. The build fills it in. */
declare const HLS_FILE: string;

/** Known only while the script runs. Null on a server. */
const running = globalThis.document?.currentScript;

export const scriptUrl = running && 'src' in running ? running.src : '';

export function loadHls(): Promise<typeof HlsLibrary> {
  // Absolute, because a relative import in a classic script of another origin has no base.
  const address = new URL(HLS_FILE, scriptUrl).href;
  return import(/* @vite-ignore */ address) as Promise<typeof HlsLibrary>;
}
