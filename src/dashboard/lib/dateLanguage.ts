import { words } from '#words/formats.js';

const KEY = 'dhara.dates';

/** What can be chosen, besides the browser's own. Texts stay in the language of the dashboard. */
export const DATE_LANGUAGES = [
  'en-IN',
  'en-GB',
  'en-US',
  'en-CA',
  'hi-IN',
  'ta-IN',
  'de-DE',
  'fr-FR',
  'es-ES',
] as const;

/** The reader's first locale in the language of the texts: "en-IN" has its own date format. */
export const LOCALE = navigator.languages.find((one) => one.split('-')[0] === words.language) ?? words.language;

/** The language of dates that was chosen in this browser; `null` for the browser's own. */
export function chosenDateLanguage(): string | null {
  try {
    const kept = localStorage.getItem(KEY);
    return DATE_LANGUAGES.find((one) => one === kept) ?? null;
  } catch {
    // Storage is disabled.
    return null;
  }
}

/** Keeps the choice in this browser and loads the page again, because every page has formatted its dates. */
export function chooseDateLanguage(language: string): void {
  try {
    if (language === '') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, language);
  } catch {
    // Without storage, dates stay as they are.
  }
  location.reload();
}

/** The locale of all dates. */
export const DATE_LOCALE = chosenDateLanguage() ?? LOCALE;

/** How a day looks, for example "26 Nov 2026". */
export function exampleOf(language: string | null): string {
  const format = new Intl.DateTimeFormat(language ?? LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
  return format.format(new Date(2026, 10, 26));
}
