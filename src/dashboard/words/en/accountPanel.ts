const DATE_LANGUAGES: Readonly<Record<string, string>> = {
  'en-IN': 'English (India)',
  'en-GB': 'English (UK)',
  'en-US': 'English (US)',
  'en-CA': 'English (Canada)',
  'hi-IN': 'हिन्दी',
  'ta-IN': 'தமிழ்',
  'de-DE': 'Deutsch',
  'fr-FR': 'Français',
  'es-ES': 'Español',
};

export const words = {
  theme: 'Appearance',
  themes: { auto: 'System', light: 'Light', dark: 'Dark' },
  dates: 'Dates',
  datesOfBrowser: (example: string) => `Browser default: ${example}`,
  datesIn: (language: string, example: string) => `${DATE_LANGUAGES[language] ?? language}: ${example}`,
  settings: 'Settings',
  signOut: 'Sign out',
};
