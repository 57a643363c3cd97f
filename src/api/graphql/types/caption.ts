import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';

export enum CaptionOrigin {
  SOURCE = 'source',
  UPLOAD = 'upload',
}
registerEnumType(CaptionOrigin, {
  name: 'CaptionOrigin',
  description: 'Where a track or a chapter comes from.',
  valuesConfig: {
    SOURCE: { description: 'From the uploaded video.' },
    UPLOAD: { description: 'Sent by the owner.' },
  },
});

@ObjectType({ description: 'A track of captions.' })
export class Caption {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'BCP 47; "und" where it is not known.' })
  language!: string;

  @Field(() => String, { description: 'Unique among the captions of a video.' })
  label!: string;

  @Field(() => CaptionOrigin)
  origin!: CaptionOrigin;

  @Field(() => Boolean, { description: 'Forced subtitles: only lines that must be read.' })
  isForced!: boolean;

  @Field(() => Boolean, { description: 'For the deaf and hard of hearing: describes music and sounds.' })
  isSdh!: boolean;

  @Field(() => Int)
  sizeBytes!: number;

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType({ description: 'Where a part of a video begins.' })
export class Chapter {
  @Field(() => Float)
  startSeconds!: number;

  @Field(() => String)
  title!: string;

  @Field(() => CaptionOrigin, { nullable: true, description: 'Null for chapters from before origins were recorded.' })
  origin!: CaptionOrigin | null;
}

@InputType()
export class ChapterInput {
  @Field(() => Float)
  startSeconds!: number;

  @Field(() => String)
  title!: string;
}

@InputType()
export class UploadCaptionsInput {
  @Field(() => String, { description: 'BCP 47, such as en, hi or pt-BR.' })
  language!: string;

  @Field(() => String, { description: 'A track of the same label is replaced.' })
  label!: string;

  @Field(() => String, { description: 'SRT or WebVTT, read as UTF-8; at most 1,000,000 bytes.' })
  text!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Forced subtitles: only lines that must be read. Defaults to false.',
  })
  isForced?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'For the deaf and hard of hearing. Defaults to false.' })
  isSdh?: boolean | null;
}

@InputType({ description: 'Fields left out do not change.' })
export class UpdateCaptionsInput {
  @Field(() => String, { nullable: true })
  language?: string | null;

  @Field(() => String, { nullable: true })
  label?: string | null;

  @Field(() => Boolean, { nullable: true })
  isForced?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  isSdh?: boolean | null;
}
