import { Field, InputType, Int } from 'type-graphql';

import { SafeInt } from '../scalars/safeInt.js';
import { Quality } from './enums.js';
import { TestVideoFault } from './testFault.js';

@InputType()
export class MetadataEntryInput {
  @Field(() => String)
  key!: string;

  @Field(() => String)
  value!: string;
}

@InputType()
export class CreateVideoInput {
  @Field(() => String, { nullable: true, description: 'Defaults to the file name without its extension.' })
  title?: string | null;

  @Field(() => String)
  filename!: string;

  @Field(() => SafeInt)
  sizeBytes!: number;

  @Field(() => Quality, { nullable: true })
  quality?: Quality | null;

  @Field(() => Boolean, { defaultValue: false })
  branding!: boolean;

  @Field(() => Boolean, { defaultValue: false })
  encryption!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Bring all sound to -16 LUFS (EBU R 128), true peaks below -1.5 dBTP. Free.',
  })
  normalizeLoudness!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Quote and process at `quality` as soon as the upload is measured, without asking again.',
  })
  autoProcess!: boolean;

  @Field(() => TestVideoFault, { nullable: true, description: 'Test mode only.' })
  testFault?: TestVideoFault | null;

  @Field(() => Int, { nullable: true, description: 'For READY_AFTER_N_SECONDS: 1 to 600.' })
  testFaultSeconds?: number | null;
}

@InputType({ description: 'Fields left out do not change.' })
export class UpdateVideoInput {
  @Field(() => String, { nullable: true })
  title?: string | null;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => [String], { nullable: true })
  tags?: string[] | null;

  @Field(() => [MetadataEntryInput], { nullable: true })
  metadata?: MetadataEntryInput[] | null;
}

@InputType({ description: 'Videos whose metadata has this key; with a value, only with exactly that one.' })
export class MetadataFilterInput {
  @Field(() => String)
  key!: string;

  @Field(() => String, { nullable: true })
  value?: string | null;
}
