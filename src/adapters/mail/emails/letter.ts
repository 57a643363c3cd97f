import type { Line } from './line.js';

/** The content of an email. The layout decides how it looks. */
export interface Letter {
  /** Also its heading. */
  readonly subject: Line;
  readonly paragraphs: readonly Line[];
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly button: { readonly label: string; readonly url: string };
  /** Shown below the button, for links that people copy to another device. */
  readonly showsLink?: boolean;
  /** Below the button. */
  readonly notes?: readonly Line[];
}
