import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Root, Field, ObjectType } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { SupportAccount } from '../types/support.js';
import { DateTime } from '../scalars/dateTime.js';

@ObjectType({ description: 'What staff want colleagues to know about an account. Its owner never sees it.' })
class AccountNote {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  body!: string;

  @Field(() => String, { nullable: true, description: 'Null if the member of staff is gone.' })
  authorEmail!: string | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => String, { nullable: true })
  editedByEmail!: string | null;

  @Field(() => DateTime, { nullable: true })
  editedAt!: Date | null;

  @Field(() => Int, { description: 'To be sent with a change.' })
  version!: number;
}

/** Notes of staff on accounts. */
@Resolver(() => SupportAccount)
export class AccountNotesResolver {
  @Access('support')
  @FieldResolver(() => [AccountNote], { description: 'Newest first. At most 100.' })
  notes(@Root() account: SupportAccount, @Ctx() context: GraphqlContext): Promise<AccountNote[]> {
    return context.services.accountNotes.list(account.id);
  }

  @Access('support')
  @Mutation(() => AccountNote)
  addAccountNote(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('body', () => String, { description: 'At most 4,000 characters.' }) body: string,
  ): Promise<AccountNote> {
    return context.services.accountNotes.add({ actorId: viewerIn(context).userId, accountId, body });
  }

  @Access('support')
  @Mutation(() => AccountNote)
  editAccountNote(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) id: string,
    @Arg('version', () => Int, { description: 'The version that was read. If there is a newer one, nothing changes.' })
    version: number,
    @Arg('body', () => String, { description: 'At most 4,000 characters.' }) body: string,
  ): Promise<AccountNote> {
    const order = { actorId: viewerIn(context).userId, accountId, id, version, body };
    return context.services.accountNotes.edit(order);
  }

  @Access('support')
  @Mutation(() => ID, { description: 'Returns the id.' })
  async deleteAccountNote(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) id: string,
  ): Promise<string> {
    await context.services.accountNotes.delete({ actorId: viewerIn(context).userId, accountId, id });
    return id;
  }
}
