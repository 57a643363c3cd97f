import type { ComponentType } from 'react';
import type { FirstResponse } from './firstResponse.js';

/** Pages behind the sign-in whose code is already loaded. */
export interface InnerPages {
  readonly Videos?: ComponentType;
  readonly Video?: ComponentType;
  readonly Wallet?: ComponentType;
}

export interface PagesProps extends InnerPages {
  /** Returns the data of the first page, once. */
  readonly takeResponse?: () => FirstResponse | undefined;
}

/** What is already loaded: it replaces the page's static content without a loading state. */
export interface First extends PagesProps {
  readonly SignIn?: ComponentType;
  readonly Pages?: ComponentType<PagesProps>;
}
