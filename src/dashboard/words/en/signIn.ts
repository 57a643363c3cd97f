/** The sign-in form, which belongs to the first view and to the dialog of an ended session. */
export const words = {
  emailAddress: 'Email address',
  password: 'Password',
  submit: 'Sign in',
  forgot: 'Forgot your password?',
  code: {
    backupNote: 'Enter one of your backup codes.',
    appNote: 'Enter the six-digit code from your authenticator app.',
    backupCode: 'Backup code',
    code: 'Code',
    trust: 'Don’t ask again on this device',
    submit: 'Continue',
    byApp: 'Use authenticator app',
    byBackup: 'Use a backup code',
    startOver: 'Start over',
    first: 'Confirm with a code from your authenticator app first.',
  },
};
