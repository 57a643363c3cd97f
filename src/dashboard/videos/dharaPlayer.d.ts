import type { DharaPlayerElement, TokenProvider } from '../../player/index.js';
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'dhara-player': DetailedHTMLProps<HTMLAttributes<DharaPlayerElement>, DharaPlayerElement> & {
        token?: string;
        tokenProvider?: TokenProvider;
        poster?: string;
        autoplay?: '';
      };
    }
  }
}
