export const words = {
  /** What numbers and dates are written in (BCP 47), and what `<html lang>` says. */
  language: 'en',
  justNow: 'just now',
  fewSecondsLeft: 'a few seconds left',
  secondsLeft: (seconds: number) => `about ${seconds} s left`,
  minutesLeft: (minutes: number) => `about ${minutes} min left`,
  hoursLeft: (hours: number) => `about ${hours} h left`,
};
