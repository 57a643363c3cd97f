import type { ApolloClient } from '@apollo/client';
import type { ComponentType } from 'react';

/** Pages behind the sign-in whose code is already loaded. */
export interface InnerPages {
  readonly Videos?: ComponentType;
  readonly Video?: ComponentType;
  readonly Wallet?: ComponentType;
}

export interface PagesProps extends InnerPages {
  /** Returns the client with the data of the first page, once. */
  readonly takeClient?: () => ApolloClient | undefined;
}

/** What is already loaded: it replaces the page's static content without a loading state. */
export interface First extends PagesProps {
  readonly SignIn?: ComponentType;
  readonly Pages?: ComponentType<PagesProps>;
}
