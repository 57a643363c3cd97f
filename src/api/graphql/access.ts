import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { Authorized, Extensions, type AuthCheckerFn } from 'type-graphql';

import { assertStaff } from '../../domain/accounts/staff.js';
import { assertNotOver, readOnlyView } from '../../domain/operations/support/ownerView.service.js';
import { liveModeOnly } from '../../domain/accounts/testMode/testMode.service.js';
import { AppError } from '../../errors.js';
import type { OwnerView } from '../../domain/accounts/viewer.js';
import { type AccessTokenScope, assertSecondFactor } from '../../ports/identity.js';
import type { GraphqlContext } from './context.js';
import { END_OWNER_VIEW, OWNER_VIEW_FIELDS } from './ownerViewFields.js';
import { TEST_MODE_FIELDS } from './testModeFields.js';

/**
 * Who may use a field.
 *
 * - `public`: anybody.
 * - `owner`: any signed-in user, for their own account.
 * - `active`: an owner whose account is not suspended; may change things.
 * - `verified`: an active owner with a confirmed email address; may create keys and spend credits.
 * - `support`: staff who are not suspended and have passed their second factor in this session, for any account.
 */
export type AccessLevel = 'public' | 'owner' | 'active' | 'verified' | 'support';

/**
 * What an access token needs for a field. `session`: no token is accepted, only a signed-in user. `manageInTestMode`:
 * `manage` in test mode, `session` in live mode.
 *
 * Queries and subscriptions need `read` by default; mutations are `session` by default.
 */
export type TokenAccess = AccessTokenScope | 'session' | 'manageInTestMode';

/**
 * For what outlasts the session or cannot be undone: if the user has a second factor, this session must have passed it.
 */
export type MorePower = 'second factor';

/**
 * The only place that decides on access. An arrow function, because type-graphql treats anything with a prototype as a
 * class.
 *
 * @throws UNAUTHENTICATED, VIEW_READ_ONLY, VIEW_ENDED, FORBIDDEN, LIVE_MODE_ONLY, ACCOUNT_SUSPENDED or EMAIL_NOT_VERIFIED,
 * TWO_FACTOR_REQUIRED
 */
export const authChecker: AuthCheckerFn<GraphqlContext, AccessLevel | TokenAccess | MorePower> = (
  { context: { viewer }, info },
  [level, needed, also],
) => {
  if (level === undefined) return false;
  if (level === 'public') return true;
  if (viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  if (viewer.view !== null) assertPartOfView(viewer.view, info);
  if (viewer.accessToken !== null) {
    const byDefault = info.parentType.name === 'Mutation' ? 'session' : 'read';
    const declared = (needed as TokenAccess | undefined) ?? byDefault;
    assertScope(viewer.accessToken.scopes, inMode(declared, viewer.mode), level);
  }
  if (viewer.mode === 'test' && !isForTestMode(info)) throw liveModeOnly();
  if (level === 'support') assertStaff(viewer);
  if (level !== 'owner' && viewer.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  if (level === 'verified' && !viewer.emailVerified) {
    throw new AppError('EMAIL_NOT_VERIFIED', 'Verify your email address first.');
  }
  if (also === 'second factor') assertSecondFactor(viewer);
  return true;
};

const ROOTS: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/** Fields of other types are reached through a root field only. */
function isForTestMode({ parentType, fieldName }: GraphQLResolveInfo): boolean {
  return !ROOTS.has(parentType.name) || TEST_MODE_FIELDS.has(fieldName);
}

function assertPartOfView(view: OwnerView, { parentType, fieldName }: GraphQLResolveInfo): void {
  if (!ROOTS.has(parentType.name) || fieldName === END_OWNER_VIEW) return;
  assertNotOver(view);
  if (parentType.name === 'Mutation') throw readOnlyView();
  if (!OWNER_VIEW_FIELDS.has(fieldName)) throw new AppError('FORBIDDEN', 'This is hidden while you view an account.');
}

function inMode(needed: TokenAccess, mode: 'live' | 'test'): AccessTokenScope | 'session' {
  if (needed !== 'manageInTestMode') return needed;
  return mode === 'test' ? 'manage' : 'session';
}

function assertScope(scopes: readonly AccessTokenScope[], needed: AccessTokenScope | 'session', level: string): void {
  if (needed === 'session' || level === 'support') {
    throw new AppError('FORBIDDEN', 'Access tokens cannot do this. Sign in to the dashboard.');
  }
  if (!scopes.includes(needed)) throw new AppError('FORBIDDEN', `This access token does not have the scope ${needed}.`);
}

/** Marks a field with the access it needs. `authChecker` applies the rule; a field without a mark fails at boot. */
export function Access(
  level: AccessLevel,
  ...more: [token?: TokenAccess, also?: MorePower]
): MethodDecorator & PropertyDecorator {
  return (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => {
    for (const decorator of level === 'public'
      ? [Extensions({ access: level })]
      : [Extensions({ access: level, also: more[1] }), Authorized([level, ...more])]) {
      (decorator as (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => void)(
        target,
        key,
        descriptor,
      );
    }
  };
}

/** Deny by default: refuses a schema with unmarked root fields. */
export function assertRootFieldsMarked(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const root of roots) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      if (typeof field.extensions['access'] !== 'string') {
        throw new Error(`${root?.name}.${field.name} does not say who may ask for it: add @Access(…)`);
      }
    }
  }
}
