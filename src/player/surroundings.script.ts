import type * as HlsLibrary from './hlsLibrary.js';

/** The file name of the other build's hls.js chunk; filled in by the build. */
declare const HLS_FILE: string;

/** Known while the script runs and never again. Null on a server. */
const running = globalThis.document?.currentScript;

export const scriptUrl = running && 'src' in running ? running.src : '';

export function loadHls(): Promise<typeof HlsLibrary> {
  // Absolute: for a classic script of another origin, a relative import has nothing to be relative to.
  const address = new URL(HLS_FILE, scriptUrl).href;
  return import(/* @vite-ignore */ address) as Promise<typeof HlsLibrary>;
}
