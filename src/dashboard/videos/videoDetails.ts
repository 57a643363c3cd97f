import type { VideoEncodingQuery, VideoQuery } from '../generated/graphql.js';

export type VideoDetails = NonNullable<VideoQuery['video']>;
export type VideoRendition = NonNullable<VideoEncodingQuery['video']>['renditions'][number];
