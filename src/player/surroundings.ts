/**
 * What differs between the two builds. This file is for the module build; surroundings.script.ts replaces it in the
 * script build.
 */
import type * as AnalyticsChunk from './analytics/analytics.js';
import type * as HlsLibrary from './hlsLibrary.js';

/** Where this script came from. */
export const scriptUrl: string = import.meta.url;

export const loadHls = (): Promise<typeof HlsLibrary> => import('./hlsLibrary.js');

export const loadAnalytics = (): Promise<typeof AnalyticsChunk> => import('./analytics/analytics.js');
