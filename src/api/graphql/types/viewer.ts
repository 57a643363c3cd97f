import { Field, ID, ObjectType } from 'type-graphql';

import { Mode, Role } from './enums.js';
import { OwnerView } from './ownerView.js';

@ObjectType()
export class Account {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean)
  suspended!: boolean;
}

@ObjectType({ description: 'Who is signed in.' })
export class Viewer {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  email!: string;

  @Field(() => Boolean, { description: 'Whether the email is confirmed. Creating keys and processing videos need it.' })
  emailVerified!: boolean;

  @Field(() => String)
  name!: string;

  @Field(() => Boolean)
  twoFactorEnabled!: boolean;

  @Field(() => Boolean, { description: 'Whether this session has passed the second factor, which staff need.' })
  twoFactorPassed!: boolean;

  @Field(() => Role)
  role!: Role;

  @Field(() => Mode, { description: 'The mode of this request. For test mode, send the header `x-dhara-mode: test`.' })
  mode!: Mode;

  @Field(() => OwnerView, {
    nullable: true,
    description: 'Set while a member of staff views the account as its owner. All other fields are then the owner’s.',
  })
  view!: OwnerView | null;

  @Field(() => Account, { description: 'In test mode, the test account.' })
  account!: Account;
}
