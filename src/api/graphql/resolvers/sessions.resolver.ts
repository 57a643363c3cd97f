import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Field, ObjectType } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { Viewer } from '../types/viewer.js';
import { DateTime } from '../scalars/dateTime.js';

@ObjectType({ description: 'A browser that somebody is signed in with.' })
class Session {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Whether this request belongs to it.' })
  current!: boolean;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime)
  expiresAt!: Date;

  @Field(() => String, { nullable: true, description: 'The address from which it was started.' })
  ipAddress!: string | null;

  @Field(() => String, { nullable: true, description: 'What the browser calls itself.' })
  userAgent!: string | null;
}

@Resolver(() => Viewer)
export class SessionsResolver {
  @FieldResolver(() => [Session], { description: 'Where the viewer is signed in, the newest first. At most 100.' })
  async sessions(@Ctx() context: GraphqlContext): Promise<Session[]> {
    const { userId, sessionId, view } = viewerIn(context);
    // A view of the account does not show where its owner is signed in.
    if (view !== null) return [];
    const sessions = await context.services.accounts.sessions(userId);
    return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
  }

  @Access('owner')
  @Mutation(() => ID, { description: 'Ends a session from its next request on. Returns the id.' })
  async endSession(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<string> {
    await context.services.accounts.endSession(viewerIn(context).userId, id);
    return id;
  }

  @Access('owner')
  @Mutation(() => Int, { description: 'Ends all other sessions. Returns how many it ended.' })
  async endOtherSessions(@Ctx() context: GraphqlContext): Promise<number> {
    const { userId, sessionId } = viewerIn(context);
    // Access tokens do not get here.
    return context.services.accounts.endOtherSessions(userId, sessionId!);
  }
}
