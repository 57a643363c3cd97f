import type * as AnalyticsChunk from './analytics/analytics.js';
import type * as HlsLibrary from './hlsLibrary.js';

/** File names of the module build's chunks. The build fills them in. */
declare const HLS_FILE: string;
declare const ANALYTICS_FILE: string;

/** Known only while the script runs. Empty on a server. */
export const scriptUrl = (globalThis.document?.currentScript as HTMLScriptElement | null)?.src ?? '';

// Absolute, because a relative import in a classic script of another origin has no base.
const load = (file: string): Promise<unknown> => import(/* @vite-ignore */ new URL(file, scriptUrl).href);

export const loadHls = () => load(HLS_FILE) as Promise<typeof HlsLibrary>;

export const loadAnalytics = () => load(ANALYTICS_FILE) as Promise<typeof AnalyticsChunk>;
