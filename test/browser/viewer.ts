import type { Demo } from '../support/service.js';

/** Of the demo video. */
export const DURATION_MS = 20_000;

/** Mints a token and exchanges it, as the browser of a viewer does. Returns the token and the address of its reports. */
export async function exchangeToken(
  { url, videoId, apiKey }: Demo,
  userAgent: string,
): Promise<{ token: string; reports: URL }> {
  const minted = await fetch(`${url}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': apiKey },
  });
  if (!minted.ok) throw new Error(`token: ${minted.status} ${await minted.text()}`);
  const { token } = ((await minted.json()) as { data: { token: string } }).data;
  const exchanged = await fetch(`${url}/v1/video/playback/manifest/${token}`, { headers: { 'user-agent': userAgent } });
  if (!exchanged.ok) throw new Error(`manifest: ${exchanged.status} ${await exchanged.text()}`);
  const stream = ((await exchanged.json()) as { data: { url: string } }).data.url;
  return { token, reports: new URL('report', stream) };
}

/** Watches the demo video until there, and reports it. At 0, the viewer has left before the first frame. */
export async function watchUntil(demo: Demo, userAgent: string, reachedMs: number): Promise<void> {
  const { reports } = await exchangeToken(demo, userAgent);
  const report = {
    v: 1,
    seq: 1,
    startupMs: reachedMs > 0 ? 640 : null,
    watchedMs: reachedMs,
    stalledMs: reachedMs / 100,
    stalls: reachedMs > 0 ? 1 : 0,
    switches: 1,
    ranges: reachedMs > 0 ? [[0, reachedMs]] : [],
    errors: [],
    ended: reachedMs === DURATION_MS,
  };
  const headers = { 'user-agent': userAgent };
  const { status } = await fetch(reports, { method: 'POST', headers, body: JSON.stringify(report) });
  if (status !== 204) throw new Error(`the report was refused with ${status}`);
}
