import { useMemo, useState, type ReactNode } from 'react';
import { LanguageContext, type Language } from './languages.js';

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>('curl');
  const value = useMemo(() => ({ language, choose }), [language]);
  return <LanguageContext value={value}>{children}</LanguageContext>;
}
