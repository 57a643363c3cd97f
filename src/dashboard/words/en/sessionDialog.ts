export const words = {
  sessionHasEnded: 'Your session has ended',
  signAgainContinueWhat: 'Sign in again to continue. What you typed is still there.',
};
