/**
 * The pages before their scripts run (index.html, sign-in.html), and if they never do. The build puts these words into
 * them, so this module and those of the other words that they name import nothing.
 */
export const words = {
  description: 'Upload, pay per minute, play anywhere.',
  signInTitle: 'Sign in · Dhara',
  newHere: 'New here?',
  createAccount: 'Create an account',
  needsScripts: 'Dhara needs JavaScript. Turn it on, then reload this page.',
  couldNotLoad: 'Dhara could not be loaded. Reload this page.',
};
