import { createElement, Fragment, type ReactNode } from 'react';

/**
 * Renders a part of a sentence as a link, as code or in bold: the text chooses the words, the component the element.
 */
export type Wrap = (text: string) => ReactNode;

/**
 * A sentence with elements inside, in whatever order the language needs:
 *
 *     (link: Wrap) => rich`Already have an account? ${link('Sign in')}`
 */
export function rich(texts: TemplateStringsArray, ...elements: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...texts.flatMap((text, index) => [text, elements[index]]));
}
