import type { GraphQLSchema } from 'graphql';
import { Authorized, Extensions, type AuthCheckerFn } from 'type-graphql';

import { assertStaff } from '../../domain/accounts/staff.js';
import { AppError } from '../../errors.js';
import type { GraphqlContext } from './context.js';

/**
 * Who may ask for a field.
 *
 * - `public`: anybody.
 * - `owner`: whoever is signed in, about the account of their own.
 * - `active`: an owner whose account is not suspended: may change things.
 * - `verified`: an active owner with a confirmed e-mail address: may create keys, and spend.
 * - `support`: staff who are not suspended and have passed their second factor in this session, about any account.
 */
export type AccessLevel = 'public' | 'owner' | 'active' | 'verified' | 'support';

/**
 * The one place that decides. An arrow function: type-graphql takes anything with a prototype for a class.
 *
 * @throws UNAUTHENTICATED, FORBIDDEN, ACCOUNT_SUSPENDED or EMAIL_NOT_VERIFIED, TWO_FACTOR_REQUIRED
 */
export const authChecker: AuthCheckerFn<GraphqlContext, AccessLevel> = ({ context: { viewer } }, levels) => {
  const level = levels[0];
  if (levels.length !== 1 || level === undefined) return false;
  if (level === 'public') return true;
  if (viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  if (level === 'owner') return true;
  if (level === 'support') assertStaff(viewer);
  if (viewer.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  if (level === 'verified' && !viewer.emailVerified) {
    throw new AppError('EMAIL_NOT_VERIFIED', 'Verify your email address first.');
  }
  return true;
};

/** Marks a field with the access it needs. `authChecker` holds the rule; fields without a mark are refused at boot. */
export function Access(level: AccessLevel): MethodDecorator & PropertyDecorator {
  return (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => {
    for (const decorator of level === 'public'
      ? [Extensions({ access: level })]
      : [Extensions({ access: level }), Authorized(level)]) {
      (decorator as (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => void)(
        target,
        key,
        descriptor,
      );
    }
  };
}

/** Deny by default: a root field that nobody thought about does not get into the schema. */
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
