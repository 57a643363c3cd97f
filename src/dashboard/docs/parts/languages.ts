import { createContext } from 'react';

export const LANGUAGES = ['curl', 'Node', 'PHP', 'Python', 'Ruby', 'Go'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language that the reader has chosen, for every code block of the page. */
export const LanguageContext = createContext<{
  readonly language: Language;
  readonly choose: (language: Language) => void;
}>({ language: 'curl', choose: () => undefined });
