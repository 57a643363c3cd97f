export const words = {
  /** The language of numbers, dates and `<html lang>` (BCP 47). */
  language: 'en',
  justNow: 'just now',
  fewSecondsLeft: 'a few seconds left',
  secondsLeft: (seconds: number) => `about ${seconds} s left`,
  minutesLeft: (minutes: number) => `about ${minutes} min left`,
  hoursLeft: (hours: number) => `about ${hours} h left`,
};
