import type { Analytics, Figures } from '../../../domain/playback/analytics/analytics.service.js';
import { videoIdOf } from '../../../domain/shared/ids.js';
import type { Analytics as AnalyticsType, AnalyticsFigures, TopVideo } from '../types/analytics.js';

export function analyticsView({ totals, series, breakdown, retention, leftOut }: Analytics): AnalyticsType {
  return {
    totals: figuresView(totals),
    series: series.map(({ startsAt, figures }) => ({ startsAt, figures: figuresView(figures) })),
    breakdown: breakdown && breakdown.map(({ value, figures }) => ({ value, figures: figuresView(figures) })),
    retention: retention && [...retention],
    leftOut: { bots: leftOut.bots, previews: leftOut.previews },
  };
}

export function topVideoView(accountId: string, video: { videoId: string; figures: Figures }): TopVideo {
  return {
    accountId,
    uuid: video.videoId,
    videoId: videoIdOf(video.videoId),
    figures: figuresView(video.figures),
  };
}

function figuresView(figures: Figures): AnalyticsFigures {
  const { views, uniqueViews, reportedViews, plays, completions, completionRate, watchedMs } = figures;
  const { averageWatchedShare, exitsBeforeStart, exitBeforeStartRate, startupP50Ms, startupP95Ms } = figures;
  const { stalls, stalledMs, rebufferRatio, renditionSwitches, errors } = figures;
  return {
    views,
    uniqueViews,
    reportedViews,
    plays,
    completions,
    completionRate,
    watchedMs,
    averageWatchedShare,
    exitsBeforeStart,
    exitBeforeStartRate,
    startupP50Ms,
    startupP95Ms,
    stalls,
    stalledMs,
    rebufferRatio,
    renditionSwitches,
    errors,
  };
}
