import { Field, Float, ID, Int, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { SafeInt } from '../scalars/safeInt.js';
import { Chapter } from './caption.js';
import { connectionOf } from './connection.js';
import { ProcessingState, Quality, RenditionQuality, VideoStatus } from './enums.js';

@ObjectType()
export class VideoAddons {
  @Field(() => Boolean)
  branding!: boolean;

  @Field(() => Boolean)
  encryption!: boolean;
}

@ObjectType()
export class MetadataEntry {
  @Field(() => String)
  key!: string;

  @Field(() => String)
  value!: string;
}

@ObjectType({ description: 'How a rendition was made: settings, size, and similarity to the source.' })
export class EncodeReceipt {
  @Field(() => String, {
    description:
      'The name of its pinned encoder settings; "copied" for a passthrough, which keeps the packets of the source.',
  })
  profile!: string;

  @Field(() => String)
  ffmpegVersion!: string;

  @Field(() => SafeInt, { description: 'Bits of the stored segments and playlist.' })
  bits!: number;

  @Field(() => Float)
  secondsBilled!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Structural similarity to the source, 1 being the same; null for sound and where it was not measured.',
  })
  ssim!: number | null;

  @Field(() => Int, { description: 'How many frames were compared to measure `ssim`.' })
  ssimFrames!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The output of `sha256sum init.mp4 seg_*.m4s | sha256sum` over the stored files.',
  })
  sha256!: string | null;
}

@ObjectType({ description: 'A playable rendition, with measured figures.' })
export class Rendition {
  @Field(() => RenditionQuality)
  quality!: RenditionQuality;

  @Field(() => Int, { description: 'Of sound, from 1; track 1 plays by default. Always 1 for a picture.' })
  track!: number;

  @Field(() => String, { nullable: true, description: 'Of sound: BCP 47, `und` where it is not known.' })
  language!: string | null;

  @Field(() => String, { nullable: true, description: 'Of sound: unique among the tracks of a video.' })
  label!: string | null;

  @Field(() => Boolean, { description: 'Audio description.' })
  isDescription!: boolean;

  @Field(() => Int, { nullable: true })
  width!: number | null;

  @Field(() => Int, { nullable: true })
  height!: number | null;

  @Field(() => Int, { description: 'Peak bits per second.' })
  bitrate!: number;

  @Field(() => String)
  codecs!: string;

  @Field(() => SafeInt)
  sizeBytes!: number;

  @Field(() => EncodeReceipt, { nullable: true, description: 'Null for renditions made before receipts existed.' })
  receipt!: EncodeReceipt | null;
}

@ObjectType()
export class VideoFailure {
  @Field(() => String)
  code!: string;

  @Field(() => String, { description: 'A human-readable reason.' })
  message!: string;
}

@ObjectType({ description: 'The newest paid attempt at processing a video.' })
export class Processing {
  @Field(() => Int)
  attempt!: number;

  @Field(() => ProcessingState)
  state!: ProcessingState;

  @Field(() => Quality)
  quality!: Quality;

  @Field(() => String, { nullable: true, description: 'What it is doing, such as "encoding".' })
  step!: string | null;

  @Field(() => Float, { description: '0 to 100.' })
  percent!: number;

  @Field(() => Int, { nullable: true })
  etaSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Seconds of video processed per second.' })
  speed!: number | null;

  @Field(() => Int, { nullable: true, description: 'Version of the logo that is burned in; null without branding.' })
  brandVersion!: number | null;

  @Field(() => Credits, { description: 'Locked at the start. What is not delivered is returned.' })
  price!: bigint;

  @Field(() => DateTime)
  queuedAt!: Date;

  @Field(() => DateTime, { nullable: true })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true })
  finishedAt!: Date | null;
}

@ObjectType({ description: 'Where the file goes: a tus endpoint, resumable until it expires.' })
export class Upload {
  @Field(() => ID)
  id!: string;

  @Field(() => String, {
    description: 'The tus upload, relative to the dashboard’s own address: HEAD for the offset, PATCH to send.',
  })
  url!: string;

  @Field(() => SafeInt)
  sizeBytes!: number;

  @Field(() => DateTime)
  expiresAt!: Date;
}

@ObjectType()
export class Video {
  /** The owning account; not in the schema. */
  accountId!: string;

  /** How often it was bought; not in the schema. */
  attempt!: number;

  @Field(() => ID, { description: 'vid_…' })
  id!: string;

  @Field(() => ID)
  uuid!: string;

  @Field(() => String)
  title!: string;

  @Field(() => String)
  description!: string;

  @Field(() => VideoStatus)
  status!: VideoStatus;

  @Field(() => Quality, {
    nullable: true,
    description: 'The requested quality, capped at what the source supports once that is measured.',
  })
  quality!: Quality | null;

  @Field(() => VideoAddons)
  addons!: VideoAddons;

  @Field(() => Boolean, { description: 'Whether loudness is normalized.' })
  normalizeLoudness!: boolean;

  @Field(() => Boolean, { description: 'Quote and process automatically once the upload is measured.' })
  autoProcess!: boolean;

  @Field(() => Boolean, { description: 'The upload is measured and can be quoted.' })
  measured!: boolean;

  @Field(() => Quality, { nullable: true, description: 'The best quality the source supports; null until measured.' })
  sourceQuality!: Quality | null;

  @Field(() => Float, { nullable: true })
  durationSeconds!: number | null;

  @Field(() => Int, { nullable: true })
  width!: number | null;

  @Field(() => Int, { nullable: true })
  height!: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'The uploaded file.' })
  sizeBytes!: number | null;

  @Field(() => [String])
  tags!: string[];

  @Field(() => [MetadataEntry])
  metadata!: MetadataEntry[];

  @Field(() => String, { nullable: true, description: "May be relative to the dashboard's own address." })
  thumbnailUrl!: string | null;

  @Field(() => Boolean, { description: 'The poster is one that the owner chose.' })
  posterChosen!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'An animated WebP of a few moments; null where there is none. Relative like `thumbnailUrl`.',
  })
  previewUrl!: string | null;

  @Field(() => [Chapter], { description: 'By their beginning; at most 200.' })
  chapters!: Chapter[];

  @Field(() => Int, { description: 'Image-based subtitles, not imported. Upload their text with `uploadCaptions`.' })
  pictureSubtitles!: number;

  @Field(() => Boolean, { description: 'Whether the file is HDR (PQ or HLG). Its renditions are SDR.' })
  isHdr!: boolean;

  @Field(() => [RenditionQuality], {
    description: 'Playable qualities, best first. A long video plays before all of them are made.',
  })
  playableRungs!: RenditionQuality[];

  @Field(() => VideoFailure, {
    nullable: true,
    description: 'Why it failed; for a ready video, why bought qualities are missing.',
  })
  failure!: VideoFailure | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime)
  updatedAt!: Date;

  @Field(() => DateTime, { nullable: true })
  readyAt!: Date | null;
}

@ObjectType()
export class VideoConnection extends connectionOf('Video', () => Video) {
  @Field(() => SafeInt, {
    nullable: true,
    description:
      'Exact. Null with any filter except `status`, because counting would be slow: `countUpTo` counts up to a number.',
  })
  totalCount!: number | null;
}

@ObjectType({ description: 'A change in a list of videos.' })
export class VideoChange {
  @Field(() => ID, { nullable: true, description: 'Null if changes may have been missed: read the list again.' })
  id!: string | null;

  @Field(() => Video, { nullable: true, description: 'The current state; null once deleted.' })
  video!: Video | null;
}

@ObjectType({ description: 'A playback token to preview your own video. It does not count against a quota.' })
export class PreviewToken {
  @Field(() => String)
  token!: string;

  @Field(() => DateTime)
  expiresAt!: Date;

  @Field(() => String, { description: "Relative to the dashboard's own address." })
  manifestUrl!: string;
}

@ObjectType()
export class CreatedVideo {
  @Field(() => Video)
  video!: Video;

  @Field(() => Upload)
  upload!: Upload;
}
