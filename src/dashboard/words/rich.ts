import { createElement, Fragment, type ReactNode } from 'react';

/** Draws a stretch of a sentence as a link, as code or in bold: the sentence says which words, the component how. */
export type Wrap = (text: string) => ReactNode;

/**
 * A sentence with elements inside, in whatever order the language needs:
 *
 *     (link: Wrap) => rich`Already have an account? ${link('Sign in')}`
 */
export function rich(texts: TemplateStringsArray, ...elements: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...texts.flatMap((text, index) => [text, elements[index]]));
}
