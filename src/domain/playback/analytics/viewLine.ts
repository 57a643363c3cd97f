import type { ViewLine } from '../../../ports/viewLines.js';
import type { WrittenView } from './writeViews.js';

/** The view as it is now, for other systems. Says what the row of the view says, and no more about the visitor. */
export function viewLine(view: WrittenView, writtenAt: Date): ViewLine {
  const { measured } = view;
  const ranges = Array.from(
    { length: measured.ranges.length / 2 },
    (_, n) => [measured.ranges[2 * n]!, measured.ranges[2 * n + 1]!] as const,
  );
  return {
    v: 1,
    viewId: view.viewId,
    accountId: view.accountId,
    videoId: view.videoId,
    keyId: view.keyId,
    audience: view.audience,
    mintedAt: new Date(view.mintedAtEpochSeconds * 1_000).toISOString(),
    writtenAt: writtenAt.toISOString(),
    durationMs: view.durationMs,
    country: view.country,
    browser: view.browser,
    device: view.device,
    seq: measured.seq,
    startupMs: measured.startupMs,
    watchedMs: measured.watchedMs,
    stalledMs: measured.stalledMs,
    stalls: measured.stalls,
    switches: measured.switches,
    ranges,
    errors: measured.errors,
    ended: measured.ended,
  };
}
