import type { StaffAccountQuery } from '../../generated/graphql.js';

export type StaffAccount = NonNullable<StaffAccountQuery['account']>;
