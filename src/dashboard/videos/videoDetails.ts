import type { VideoQuery } from '../generated/graphql.js';

export type VideoDetails = NonNullable<VideoQuery['video']>;
