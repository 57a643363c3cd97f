import { Ctx, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { Viewer } from '../types/viewer.js';
import { viewerView } from '../views/viewerView.js';

@Resolver()
export class ViewerResolver {
  @Access('public')
  @Query(() => Viewer, { nullable: true, description: 'Null if not signed in.' })
  viewer(@Ctx() context: GraphqlContext): Viewer | null {
    return context.viewer && viewerView(context.viewer);
  }
}
