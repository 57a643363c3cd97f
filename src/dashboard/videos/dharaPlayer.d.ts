import type { DharaPlayer } from '../../player/index.js';
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'dhara-player': DetailedHTMLProps<HTMLAttributes<DharaPlayer>, DharaPlayer> & {
        token?: string;
        poster?: string;
        autoplay?: '';
        onplayererror?: (event: CustomEvent<{ code: string; message: string }>) => void;
      };
    }
  }
}
