/** What differs between the two builds. This is the module's; surroundings.script.ts takes its place in the script's. */
import type * as HlsLibrary from './hlsLibrary.js';

/** Where this script came from. */
export const scriptUrl: string = import.meta.url;

export const loadHls = (): Promise<typeof HlsLibrary> => import('./hlsLibrary.js');
